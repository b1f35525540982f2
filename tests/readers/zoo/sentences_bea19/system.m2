S We was late because rain .
A 1 2|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0
A 2 2|||M:ADV|||too|||REQUIRED|||-NONE-|||0

S Thank you for reading .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0

S I seen him .
A 1 2|||R:VERB:TENSE|||saw|||REQUIRED|||-NONE-|||0

