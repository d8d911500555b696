// The selector language; docs/selectors.md describes it.
grammar Selector;

selector : expression EOF ;

expression
    : NOT expression                                        # negation
    | expression AND expression                             # conjunction
    | expression OR expression                              # disjunction
    | '(' expression ')'                                    # group
    | HAS '(' field ')'                                     # presence
    | field operator=('=' | '!=' | '<' | '<=' | '>' | '>=') literal   # comparison
    | field NOT? IN '(' literal (',' literal)* ')'          # membership
    | field                                                 # flag
    ;

// The quoted part is for tag keys that are no bare word: tag."any key".
field : WORD STRING? ;

literal : STRING | WORD | NUMERAL ;

AND : [aA] [nN] [dD] ;
OR  : [oO] [rR] ;
NOT : [nN] [oO] [tT] ;
IN  : [iI] [nN] ;
HAS : [hH] [aA] [sS] ;

WORD    : [A-Za-z_] [A-Za-z0-9_.\-]* ;
// Versions, durations and times: 4.10.2-beta, 24h, 2026-11-30T10:00:00Z.
NUMERAL : [0-9] [A-Za-z0-9_.:+\-]* ;
STRING  : '"' ('\\' ["'\\] | ~["\\\r\n])* '"' | '\'' ('\\' ["'\\] | ~['\\\r\n])* '\'' ;
SPACE   : [ \t\r\n]+ -> skip ;
OTHER   : . ;
