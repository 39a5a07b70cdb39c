# bash completion for heddle(1)

# Index of the first word of the checked program, or nothing while still before it.
_heddle_program_index()
{
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			echo $((i + 1))
			return
		fi
	done
}

_heddle_check()
{
	local cur=$1 prev=$2
	case $prev in
	--strategy)
		COMPREPLY=($(compgen -W "dfs bfs random pct" -- "$cur"))
		return ;;
	--format)
		COMPREPLY=($(compgen -W "text json junit sarif html github" -- "$cur"))
		return ;;
	--atomics)
		COMPREPLY=($(compgen -W "on off" -- "$cur"))
		return ;;
	--races)
		COMPREPLY=($(compgen -W "report ignore" -- "$cur"))
		return ;;
	--peers)
		COMPREPLY=($(compgen -W "auto independent shared" -- "$cur"))
		return ;;
	--checkpoint)
		COMPREPLY=($(compgen -W "none always io connect nd" -- "$cur"))
		return ;;
	--checkpoint-backend)
		COMPREPLY=($(compgen -W "auto fork criu restart" -- "$cur"))
		return ;;
	--cache)
		COMPREPLY=($(compgen -W "branching linear none" -- "$cur"))
		return ;;
	--server | --client)
		COMPREPLY=($(compgen -c -- "$cur"))
		return ;;
	--sanity)
		COMPREPLY=($(compgen -W "0 1 2 3" -- "$cur"))
		return ;;
	-o | --out)
		compopt -o filenames
		COMPREPLY=($(compgen -d -- "$cur"))
		return ;;
	-f | --file | --stdin | --suppressions | --save-trees | --load-trees | --graph | --invariant-file)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur"))
		return ;;
	--seed | --runs | --pct-depth | --max-* | --heap-limit | --time-horizon | --hang-time | --env | --invariant | --step | --random-seed | --clients | --recheck | --*-timeout)
		return ;;
	esac
	COMPREPLY=($(compgen -W "--strategy --seed --runs --pct-depth --keep-going --no-matching --max-states --max-depth
		--max-time --max-memory --heap-limit --time-horizon --timeouts --invariant --step --invariant-file --check-exit --check-fds --races --suppressions --no-deadlock --allow-trivial --strict-idle --hang-time --atomics --spurious --env
		--stdin --random-seed --server --client --clients --identical-clients --peers --checkpoint --checkpoint-backend --peer-branches --recheck --cache --allow-refused --response-timeout
		--peer-timeout --save-trees --load-trees --out --format --quiet --verbose --no-progress --file --profile --graph --sanity --" -- "$cur"))
}

_heddle()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} program
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		COMPREPLY=($(compgen -W "check replay show shrink certify partition tree init doctor inetd cc c++ help --version" -- "$cur"))
		return
	fi
	program=$(_heddle_program_index)
	if [[ -n $program ]]; then
		compopt -o filenames
		if ((COMP_CWORD == program)); then
			COMPREPLY=($(compgen -c -- "$cur") $(compgen -d -- "$cur"))
		else
			COMPREPLY=($(compgen -f -- "$cur"))
		fi
		return
	fi
	case ${COMP_WORDS[1]} in
	check)
		_heddle_check "$cur" "$prev" ;;
	replay)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--gdb --at --gdb-args --quiet --" -- "$cur"))
		else
			compopt -o filenames
			COMPREPLY=($(compgen -f -X '!*.trace' -- "$cur") $(compgen -d -- "$cur"))
		fi ;;
	certify)
		COMPREPLY=($(compgen -W "--trustful --live --part --fp-out --merge --jobs --invariant --step --out" -- "$cur") $(compgen -f -- "$cur")) ;;
	partition)
		COMPREPLY=($(compgen -W "--parts --output --subgraphs --quick --quiet" -- "$cur") $(compgen -f -- "$cur")) ;;
	shrink)
		if [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--output --" -- "$cur"))
		else
			compopt -o filenames
			COMPREPLY=($(compgen -f -X '!*.trace' -- "$cur") $(compgen -d -- "$cur"))
		fi ;;
	cc | c++)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur")) ;;
	show)
		compopt -o filenames
		COMPREPLY=($(compgen -f -X '!*.trace' -- "$cur") $(compgen -d -- "$cur")) ;;
	tree)
		if [[ $prev == --format ]]; then
			COMPREPLY=($(compgen -W "text dot pcap" -- "$cur"))
		elif [[ $cur == -* ]]; then
			COMPREPLY=($(compgen -W "--format --output" -- "$cur"))
		else
			compopt -o filenames
			COMPREPLY=($(compgen -f -- "$cur"))
		fi ;;
	help)
		COMPREPLY=($(compgen -W "check replay show shrink certify partition tree init doctor inetd cc c++ help" -- "$cur")) ;;
	esac
}

complete -F _heddle heddle
