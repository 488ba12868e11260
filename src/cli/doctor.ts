// `croft doctor`: the checks of host/doctor.ts for eyes and for scripts. Exit code 1 where croft cannot work.
import { type Check, diagnose, gatherFacts, installCommand } from '../host/doctor.ts'
import { say } from '../words/say.ts'
import { EXIT, type Run, type World } from './command.ts'
import { absolute, DEFAULT_DATA } from './connect.ts'
import { listenAddress } from './listen.ts'
import { isDataFormat, printData } from './output.ts'

const MARKS: Readonly<Record<Check['verdict'], string>> = { good: 'ok  ', poor: 'note', bad: 'BAD ' }
const COLOURS: Readonly<Record<Check['verdict'], number>> = { good: 32, poor: 33, bad: 31 }

export const doctor: Run = async (call, world) => {
  const { terminal, host, language } = world
  const facts = await gatherFacts(host, {
    dataFolder: absolute(call.text('data') ?? DEFAULT_DATA, terminal.folder),
    address: listenAddress(call),
  })
  const checks = diagnose(facts)
  const bad = checks.filter(({ verdict }) => verdict === 'bad')
  const format = call.text('output')
  if (isDataFormat(format)) {
    terminal.out(printData({ checks, install: installCommand(facts) ?? null }, format))
    return bad.length === 0 ? EXIT.done : EXIT.failed
  }
  for (const check of checks) {
    terminal.out(`${mark(world, check)} ${check.name}: ${check.message}\n`)
    if (check.fix) terminal.out(`       ${check.fix}\n`)
  }
  const command = installCommand(facts)
  if (command !== undefined) terminal.note(`${say(language, 'cli.doctor.install', { command })}\n`)
  if (checks.every(({ verdict }) => verdict === 'good'))
    terminal.note(`${say(language, 'cli.doctor.fine')}\n`)
  return bad.length === 0 ? EXIT.done : EXIT.failed
}

function mark({ terminal }: World, { verdict }: Check): string {
  const colours = terminal.outIsTerminal && !terminal.env('NO_COLOR')
  return colours ? `\u001b[${COLOURS[verdict]}m${MARKS[verdict]}\u001b[0m` : MARKS[verdict]
}
