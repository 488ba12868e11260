// Completion as real shells read it: each shell that is installed is asked what it would offer.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { commands } from './commands.ts'
import { bashText, fishText, zshText } from './completion.ts'

const folder = mkdtempSync(join(tmpdir(), 'croft-completion-'))
const installed = (shell: string): string | false =>
  ['/bin', '/usr/bin', '/usr/local/bin'].some((path) => existsSync(join(path, shell)))
    ? false
    : `${shell} is not installed`

before(() => {
  // Names come from a program of that name; here it is one that tells what it was asked.
  const stub = '#!/bin/sh\n[ "$1" = complete-names ] && [ "$3" = -- ] && echo "web-$2" && echo "db-$2"\n'
  writeFileSync(join(folder, 'croft'), stub)
  chmodSync(join(folder, 'croft'), 0o755)
  writeFileSync(join(folder, 'c.bash'), bashText(commands))
  writeFileSync(join(folder, 'c.zsh'), zshText(commands))
  writeFileSync(join(folder, 'c.fish'), fishText(commands))
})
after(() => rmSync(folder, { recursive: true }))

function run(shell: string, argv: readonly string[], script: string): readonly string[] {
  const done = spawnSync(shell, [...argv, script], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'dumb' },
  })
  assert.equal(done.status, 0, `${shell}: ${done.stderr}`)
  assert.equal(done.stderr, '')
  return done.stdout.split('\n').filter(Boolean)
}

/** What is offered for the last word of each line. */
type Ask = (line: string) => readonly string[]

function offers(ask: Ask): void {
  const has = (line: string, ...wanted: readonly string[]): readonly string[] => {
    const found = ask(line)
    for (const word of wanted) assert.ok(found.includes(word), `${line}: ${found.join(' ')} lacks ${word}`)
    return found
  }
  assert.ok(!has('croft ', 'vm', 'volume', 'top', 'help', 'completion').includes('complete-names'))
  assert.deepEqual([...has('croft vol', 'volume')], ['volume'])
  has('croft vm ', 'create', 'list', 'console', 'vnc')
  assert.deepEqual([...has('croft vm cons', 'console')], ['console'])
  has('croft vm create --', '--image', '--cpus', '--help', '--namespace')
  has('croft vm start ', 'web-vm', 'db-vm')
  assert.deepEqual([...has('croft volume expand w', 'web-volume')], ['web-volume'])
  has('croft vm list -o ', 'json', 'yaml', 'wide', 'name')
  has('croft project grant shop jane --role ', 'view', 'edit', 'admin')
  has('croft vm create web --run-strategy H', 'Halted')
  has('croft top --so', '--sort')
}

test('bash', { skip: installed('bash') }, () => {
  offers((line) => {
    const words = line.split(' ')
    const quoted = words.map((word) => `'${word}'`).join(' ')
    return run(
      'bash',
      ['--norc', '-c'],
      `source ${folder}/c.bash; compopt() { :; }; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _croft; printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
  })
})

test('zsh', { skip: installed('zsh') }, () => {
  // Completion runs only inside the line editor, so zsh is driven through a terminal of its own.
  offers((line) => {
    const script = `
zmodload zsh/zpty
zpty z 'zsh -f -i'
zpty -w z 'PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit && compinit -u -d ${folder}/dump; source ${folder}/c.zsh'
zpty -w z 'LISTMAX=10000; zstyle ":completion:*" list-prompt ""; zmodload zsh/complist'
zpty -w z 'complete-all() { compstate[list]=; comppostfuncs=(say-all); _main_complete; }; say-all() { :; }'
zpty -w z 'compadd() { builtin compadd -O found "$@" 2>/dev/null; print -rl -- OFFER:$^found >> ${folder}/offered; found=(); builtin compadd "$@" }'
zpty -w z 'zle -C all complete-word _main_complete; bindkey "^X" all; print READY'
zpty -r z line '*READY*READY*'
: > ${folder}/offered
zpty -n -w z $'${line.replaceAll("'", "\\'")}\\x18'
for try in {1..100}; do sleep 0.1; [[ -s ${folder}/offered ]] && break; done
sleep 0.1
zpty -d z
sed -n 's/^OFFER://p' ${folder}/offered | sort -u
`
    return run('zsh', ['-f', '-c'], script)
  })
})

test('fish', { skip: installed('fish') }, () => {
  offers((line) =>
    run('fish', ['--no-config', '-c'], `source ${folder}/c.fish; complete -C '${line}'`).map(
      (offer) => offer.split('\t')[0] ?? '',
    ),
  )
})
