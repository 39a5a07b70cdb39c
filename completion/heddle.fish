# fish completion for heddle(1). Verbs and options come from heddle help, so that they are those of this heddle.

function __heddle_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and echo $words[2]
end

function __heddle_no_verb
    test (count (commandline -opc)) -eq 1
end

function __heddle_before_program
    not contains -- -- (commandline -opc); and not __heddle_no_verb
end

function __heddle_verbs
    command heddle help 2>/dev/null | string replace -rf '^  heddle ([a-z+]+) *(.*)$' '$1\t$2'
end

function __heddle_options
    command heddle help (__heddle_verb) 2>/dev/null | string replace -rf '^ .*?(--[a-z-]+)( [^ ]+)? *(.*)$' '$1\t$3'
end

complete -c heddle -n __heddle_no_verb -f -a '(__heddle_verbs)'
complete -c heddle -n __heddle_before_program -a '(__heddle_options)'
