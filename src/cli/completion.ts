// `croft completion`: words and options for bash and zsh, from the command table.
import { usageError } from './cli-error.ts'
import { type Command, EXIT, type Run } from './command.ts'

export const completion: Run = async (call, world) => {
  const [shell = ''] = call.args
  if (shell !== 'bash' && shell !== 'zsh')
    throw usageError(`There is no completion for "${shell}"; there is one for bash and one for zsh.`)
  const { commands } = await import('./commands.ts')
  const start = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  world.terminal.out(start + bashText(commands))
  return EXIT.done
}

export function bashText(commands: readonly Command[]): string {
  const nouns = [...new Set(commands.map(({ words }) => words[0]!)), 'help']
  const verbs = nouns.flatMap((noun) => {
    const of = commands.filter(({ words }) => words[0] === noun && words.length > 1)
    return of.length === 0 ? [] : [`    ${noun}) words='${of.map(({ words }) => words[1]).join(' ')}' ;;`]
  })
  const flags = commands.map(
    ({ words, flags: own }) =>
      `    '${words.join(' ')}') words='${own.map(({ name }) => `--${name}`).join(' ')}' ;;`,
  )
  return `_croft() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=''
  if [[ $current == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${flags.filter((line) => /^ {4}'\S+ \S+'/.test(line)).join('\n')}
    esac
    case "\${COMP_WORDS[1]}" in
${flags.filter((line) => /^ {4}'\S+'\)/.test(line)).join('\n')}
    esac
  elif [[ $COMP_CWORD == 1 ]]; then words='${nouns.join(' ')}'
  elif [[ $COMP_CWORD == 2 ]]; then case "\${COMP_WORDS[1]}" in
${verbs.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _croft croft
`
}
