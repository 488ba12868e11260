// `croft user passwd`: changes the password of somebody who knows the present one.
import { isObject } from '../base/json.ts'
import { CliError } from './cli-error.ts'
import { EXIT, type Run, type World } from './command.ts'
import { connect, connectionTo } from './connect.ts'

export const userPasswd: Run = async (call, world) => {
  const [name = 'admin'] = call.args
  const connection = await connect(call, world)
  const { current, next } = await askPasswords(world, name)
  const login = await connection.ask('POST', '/v1-public/login', {
    username: name,
    password: current,
    responseType: 'token',
  })
  const token = isObject(login) ? String(login['token'] ?? '') : ''
  const { certificatePem: _, keyPem: __, ...config } = connection.config
  const own = connectionTo({ ...config, token }, world, connection)
  await own.ask('POST', '/v1-croft/password', { currentPassword: current, newPassword: next })
  world.terminal.note(`The password of ${name} is changed. Other sessions of ${name} are over.\n`)
  return EXIT.done
}

async function askPasswords(
  world: World,
  name: string,
): Promise<{ readonly current: string; readonly next: string }> {
  const lines = linesOf(world)
  world.terminal.raw(true)
  try {
    const current = await secret(world, `Present password of ${name}: `, lines)
    const next = await secret(world, 'New password: ', lines)
    if (world.terminal.inIsTerminal && (await secret(world, 'New password again: ', lines)) !== next)
      throw new CliError({ what: 'The two new passwords differ.', code: EXIT.failed, reason: 'Differ' })
    return { current, next }
  } finally {
    world.terminal.raw(false)
  }
}

type Lines = AsyncGenerator<string>

/** Typed without an echo; or a line of what is piped in. */
async function secret({ terminal }: World, prompt: string, lines: Lines): Promise<string> {
  if (terminal.inIsTerminal) terminal.note(prompt)
  const line = await lines.next()
  if (terminal.inIsTerminal) terminal.note('\n')
  return String(line.value ?? '')
}

/** Lines without an echo. In raw mode Enter is a carriage return, and Ctrl-C is a key like any other. */
async function* linesOf({ terminal }: World): Lines {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of terminal.input) {
    for (const key of decoder.decode(chunk, { stream: true })) {
      if (key === '\u0003') throw new CliError({ what: 'Nothing was changed.', code: EXIT.interrupted })
      if (key === '\r' || key === '\n') {
        yield line
        line = ''
      } else line = key === '\u007f' || key === '\b' ? [...line].slice(0, -1).join('') : line + key
    }
  }
  if (line !== '') yield line
}
