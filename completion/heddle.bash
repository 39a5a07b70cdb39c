# bash completion for heddle(1). Verbs, options and their values come from heddle help, so that they are those of
# this heddle.

# What heddle help says of an option: the words between bars, or the kind of its value (FILE, DIR, COMMAND, N …).
_heddle_value()
{
	"${COMP_WORDS[0]}" help "$1" 2>/dev/null | sed -n "s/^ *\(-[a-z], \)\{0,1\}$2 \([^ ]*\).*/\2/p"
}

_heddle_option()
{
	local verb=$1 cur=$2 prev=$3 value
	[[ $prev == -? ]] && prev=$("${COMP_WORDS[0]}" help "$verb" 2>/dev/null | sed -n "s/^  $prev, \(--[a-z-]*\).*/\1/p")
	[[ $prev == --?* ]] && value=$(_heddle_value "$verb" "$prev")
	case $value in
	DIR)
		compopt -o filenames
		COMPREPLY=($(compgen -d -- "$cur")) ;;
	FILE | SCENARIO | MAP)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur")) ;;
	COMMAND)
		COMPREPLY=($(compgen -c -- "$cur")) ;;
	*'|'*)
		COMPREPLY=($(compgen -W "${value//[|A-Z]/ }" -- "$cur")) ;;
	?*) ;; # a number, a time, a text
	*)
		false ;;
	esac && return
	if [[ $cur == -* || $verb == check ]]; then
		COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" help "$verb" 2>/dev/null | sed -n 's/^ *\(-[a-z], \)\{0,1\}\(--[a-z-]*\).*/\2/p') --" -- "$cur"))
		return
	fi
	compopt -o filenames
	COMPREPLY=($(compgen -f -- "$cur"))
}

_heddle()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]} i
	COMPREPLY=()
	if ((COMP_CWORD == 1)) || { ((COMP_CWORD == 2)) && [[ $verb == help ]]; }; then
		COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" help 2>/dev/null | sed -n 's/^  heddle \([a-z+]*\).*/\1/p') --version" -- "$cur"))
		return
	fi
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			compopt -o filenames
			COMPREPLY=($( ((i + 1 == COMP_CWORD)) && compgen -c -- "$cur") $(compgen -f -- "$cur"))
			return
		fi
	done
	if [[ $verb == inetd || $verb == cc || $verb == c++ ]]; then
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur"))
	else
		_heddle_option "$verb" "$cur" "$prev"
	fi
}

complete -F _heddle heddle
