// `croft completion`: words, options, choices and names of objects for bash, zsh and fish, from the command table.
// Everything but names stands in the text itself, so that a completion costs no start of a program.
import { usageError } from './cli-error.ts'
import { type Command, EXIT, type Flag, type Run } from './command.ts'
import { COMMON_FLAGS } from './parse.ts'

const SHELLS = { bash: bashText, zsh: zshText, fish: fishText } as const

export const completion: Run = async (call, world) => {
  const [shell = ''] = call.args
  if (!(shell in SHELLS))
    throw usageError(`There is no completion for "${shell}"; there is one for bash, zsh and fish.`)
  const { commands } = await import('./commands.ts')
  world.terminal.out(SHELLS[shell as keyof typeof SHELLS](commands))
  return EXIT.done
}

interface Noun {
  readonly name: string
  readonly doc: string
  readonly verbs: readonly Command[]
}

function nounsOf(commands: readonly Command[]): readonly Noun[] {
  const shown = commands.filter(({ hidden }) => hidden !== true)
  const names = [...new Set(shown.map(({ words }) => words[0]!))]
  return names.map((name) => {
    const own = shown.filter(({ words }) => words[0] === name)
    const single = own.find(({ words }) => words.length === 1)
    const verbs = own.filter(({ words }) => words.length > 1)
    const doc = single?.doc ?? verbs.map(({ words }) => words[1]).join(', ')
    return { name, doc, verbs }
  })
}

function flagsOf({ flags }: Command): readonly Flag[] {
  return [...flags, ...COMMON_FLAGS]
}

/** What a choice begins with: `jsonpath=EXPR` is typed up to the sign. */
function choicesOf({ choices = [] }: Flag): readonly string[] {
  return choices.map((choice) => choice.replace(/=.*$/, '='))
}

const takesFile = ({ value }: Flag): boolean => value === 'FILE' || value === 'DIR'
/** The noun whose names the first argument takes. */
const namesOf = ({ args }: Command): string | undefined => args[0]?.names
const shown = (commands: readonly Command[]): readonly Command[] =>
  commands.filter(({ hidden }) => hidden !== true)

// --- bash ---

export function bashText(commands: readonly Command[]): string {
  const nouns = nounsOf(commands)
  const cases = shown(commands).map((command) => {
    const flags = flagsOf(command).flatMap(({ name, short }) => [
      `--${name}`,
      ...(short ? [`-${short}`] : []),
    ])
    const names = namesOf(command)
    return `    '${command.words.join(' ')}') flags='${flags.join(' ')}'${names === undefined ? '' : ` names=${names}`} ;;`
  })
  const values = valueCases(commands).map(
    ([words, pattern, choices]) => `    '${words} '${pattern}) words='${choices}' ;;`,
  )
  const verbs = nouns.flatMap(({ name, verbs: own }) =>
    own.length === 0 ? [] : [`    ${name}) words='${own.map(({ words }) => words[1]).join(' ')}' ;;`],
  )
  return `# Completion of croft for bash: source <(croft completion bash)
_croft_names() {
  croft complete-names "$1" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null
}
_croft() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local words='' flags='' names='' depth=2
  case "$command" in
    ${nouns
      .filter(({ verbs: own }) => own.length > 0)
      .map(({ name }) => name)
      .join(' | ')}) command="$command \${COMP_WORDS[2]}" depth=3 ;;
  esac
  case "$command" in
${cases.join('\n')}
  esac
  # An equals sign is a word of its own here.
  [[ $current == '=' ]] && current=''
  [[ $before == '=' ]] && before=\${COMP_WORDS[COMP_CWORD-2]}
  case "$command $before" in
${values.join('\n')}
    *' --'*-file | *' --file' | *' --data' | *' --kubeconfig' | *' --identity' | *' --ssh-key' | *' --user-data')
      compopt -o default; COMPREPLY=(); return ;;
  esac
  if [[ -n $words ]]; then :
  elif [[ $COMP_CWORD == 1 ]]; then words='${nouns.map(({ name }) => name).join(' ')} help'
  elif [[ $COMP_CWORD -lt $depth ]]; then case "\${COMP_WORDS[1]}" in
${verbs.join('\n')}
    esac
  elif [[ $current == -* ]]; then words=$flags
  elif [[ -n $names && $COMP_CWORD == "$depth" ]]; then words=$(_croft_names "$names")
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -F _croft croft
`
}

/** `vm list`, a pattern of the option, its choices. */
function valueCases(commands: readonly Command[]): readonly (readonly [string, string, string])[] {
  return shown(commands).flatMap((command) =>
    flagsOf(command).flatMap((flag) => {
      const choices = choicesOf(flag)
      if (choices.length === 0) return []
      const patterns = [`'--${flag.name}'`, ...(flag.short ? [`'-${flag.short}'`] : [])]
      return patterns.map((pattern) => [command.words.join(' '), pattern, choices.join(' ')] as const)
    }),
  )
}

// --- zsh ---

export function zshText(commands: readonly Command[]): string {
  const nouns = nounsOf(commands)
  const functions = shown(commands).map((command) => {
    const specs = flagsOf(command).flatMap(zshFlag)
    const names = namesOf(command)
    const args = command.args.map(({ name, rest }, index) => {
      // The space in front keeps zsh from adding arguments of its own.
      const action = index === 0 && names !== undefined ? ` _croft_names ${names}` : '_files'
      return `'${rest ? '*' : index + 1}:${zshQuoted(name)}:${action}'`
    })
    return `    '${command.words.join(' ')}')
      _arguments -s ${[...specs, ...args].join(' ')} ;;`
  })
  const verbs = nouns.flatMap(({ name, verbs: own }) =>
    own.length === 0
      ? []
      : [
          `    ${name}) verbs=(${own.map(({ words, doc }) => `'${words[1]}:${zshQuoted(doc)}'`).join(' ')}) ;;`,
        ],
  )
  return `#compdef croft
# Completion of croft for zsh: source <(croft completion zsh)
_croft_names() {
  local -a found
  found=(\${(f)"$(croft complete-names "$1" -- "\${(@)words[1,CURRENT-1]}" 2>/dev/null)"})
  compadd -a found
}
_croft() {
  local -a nouns verbs
  nouns=(${nouns.map(({ name, doc }) => `'${name}:${zshQuoted(doc)}'`).join(' ')} 'help:All about a command.')
  if (( CURRENT == 2 )); then _describe 'command' nouns; return; fi
  local command=$words[2]
  case $command in
${verbs.join('\n')}
  esac
  if (( $#verbs )); then
    if (( CURRENT == 3 )); then _describe 'command' verbs; return; fi
    command="$command $words[3]"
    shift words; (( CURRENT-- ))
  fi
  shift words; (( CURRENT-- ))
  case $command in
${functions.join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _croft "$@"; else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _croft croft
fi
`
}

function zshFlag(flag: Flag): readonly string[] {
  const doc = `[${zshQuoted(flag.doc)}]`
  const many = flag.type === 'list' ? '*' : ''
  const choices = choicesOf(flag)
  const action = choices.length > 0 ? `(${choices.join(' ')})` : takesFile(flag) ? '_files' : ' '
  const value = flag.type === 'switch' ? '' : `:${flag.value ?? 'VALUE'}:${action}`
  const long = `'${many}--${flag.name}${flag.type === 'switch' ? '' : '='}${doc}${value}'`
  return flag.short ? [long, `'${many}-${flag.short}${doc}${value}'`] : [long]
}

/** Inside single quotes, where colons and brackets mean something. */
function zshQuoted(text: string): string {
  return text.replace(/'/g, "'\\''").replace(/[[\]:]/g, '\\$&')
}

// --- fish ---

export function fishText(commands: readonly Command[]): string {
  const nouns = nounsOf(commands)
  const lines = [
    '# Completion of croft for fish: croft completion fish | source',
    'function __croft_at',
    '  set -l words (commandline -opc)',
    '  test (count $words) -gt (count $argv); or return 1',
    '  for at in (seq (count $argv))',
    '    set -l word $words[(math $at + 1)]',
    '    test "$word" = "$argv[$at]"; or return 1',
    '  end',
    'end',
    'function __croft_words',
    '  test (count (commandline -opc)) -eq $argv[1]',
    'end',
    'function __croft_names',
    '  croft complete-names $argv[1] -- (commandline -opc)[2..-1] 2>/dev/null',
    'end',
    'complete -c croft -f',
    ...nouns.map(
      ({ name, doc }) => `complete -c croft -n '__croft_words 1' -a ${name} -d ${fishQuoted(doc)}`,
    ),
    "complete -c croft -n '__croft_words 1' -a help -d 'All about a command.'",
    ...nouns.flatMap(({ name, verbs }) =>
      verbs.map(
        ({ words, doc }) =>
          `complete -c croft -n '__croft_words 2; and __croft_at ${name}' -a ${words[1]} -d ${fishQuoted(doc)}`,
      ),
    ),
    ...shown(commands).flatMap(fishCommand),
  ]
  return `${lines.join('\n')}\n`
}

function fishCommand(command: Command): readonly string[] {
  const at = `__croft_at ${command.words.join(' ')}`
  const names = namesOf(command)
  const flags = flagsOf(command).map((flag) => {
    const choices = choicesOf(flag)
    const value =
      flag.type === 'switch'
        ? ''
        : choices.length > 0
          ? ` -x -a ${fishQuoted(choices.join(' '))}`
          : takesFile(flag)
            ? ' -r -F'
            : ' -x'
    const short = flag.short ? ` -s ${flag.short}` : ''
    return `complete -c croft -n '${at}' -l ${flag.name}${short}${value} -d ${fishQuoted(flag.doc)}`
  })
  if (names === undefined) return flags
  const words = command.words.length + 1
  return [...flags, `complete -c croft -n '${at}; and __croft_words ${words}' -a '(__croft_names ${names})'`]
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
