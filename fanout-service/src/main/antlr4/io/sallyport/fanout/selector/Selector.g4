grammar Selector;
r : 'x' EOF;
