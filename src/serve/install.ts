// `croft install` and `croft uninstall`: a unit for systemd, so that a reboot brings croft and its machines back.
import { CliError, failedError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { DEFAULT_LISTEN, listenAddress, listenText } from '../cli/listen.ts'
import { dataFolderOf } from './command-up.ts'
import { findRunning } from './running.ts'

export const UNIT_PATH = '/etc/systemd/system/croft.service'
const UNIT = 'croft.service'
const SYSTEMCTL_TIMEOUT_MS = 120_000

export interface UnitWish {
  /** The launcher. */
  readonly launcher: string
  readonly dataFolder: string
  /** `ADDR:PORT`. */
  readonly listen: string
}

/** Only croft itself is stopped and restarted with the unit: machines are other people's work in progress. */
export function unitText({ launcher, dataFolder, listen }: UnitWish): string {
  return `# Written by "croft install"; "croft uninstall" removes it.
[Unit]
Description=Croft, virtual machines behind the Kubernetes API
Wants=network-online.target
After=network-online.target local-fs.target

[Service]
Type=simple
ExecStart=${quoted(launcher)} up --data ${quoted(dataFolder)} --listen ${quoted(listen)}
# Machines and storage daemons outlive croft and are taken over by the next start.
KillMode=process
Restart=always
RestartSec=1
TimeoutStopSec=30
Delegate=yes
TasksMax=infinity
LimitNOFILE=1048576
OOMScoreAdjust=-900

[Install]
WantedBy=multi-user.target
`
}

/** systemd reads % and $ as its own, and splits at spaces. */
function quoted(word: string): string {
  const text = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[\w@:%+=,./[\]-]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

export async function install(call: Call, world: World): Promise<number> {
  const { host, terminal, root } = world
  await requireSystemd(world, 'install')
  const wish: UnitWish = {
    launcher: `${root}/croft`,
    dataFolder: dataFolderOf(call, world),
    listen: listenText(call.text('listen') === undefined ? DEFAULT_LISTEN : listenAddress(call)),
  }
  const running = await findRunning(host, wish.dataFolder)
  if (running && !(await isOurUnit(world)))
    throw new CliError({
      what: `Croft already runs with ${wish.dataFolder}, started by hand (process ${running.process.pid}).`,
      next: 'Stop it first; machines run on: croft down',
      code: EXIT.failed,
      reason: 'AlreadyRunning',
    })
  const written = await host.files.writeDurable(UNIT_PATH, unitText(wish), 0o644)
  if (!written.ok) throw failedError('The unit cannot be written.', written.failure)
  await systemctl(world, ['daemon-reload'])
  await systemctl(world, ['enable', UNIT])
  await systemctl(world, ['restart', UNIT])
  terminal.note(`Croft runs as ${UNIT} and starts at boot. Its log: journalctl -u croft -f\n`)
  return EXIT.done
}

export async function uninstall(_call: Call, world: World): Promise<number> {
  const { host, terminal } = world
  await requireSystemd(world, 'uninstall')
  if (!(await isOurUnit(world))) {
    terminal.note(`There is no ${UNIT_PATH}; nothing to do.\n`)
    return EXIT.done
  }
  await systemctl(world, ['disable', '--now', UNIT])
  const removed = await host.files.remove(UNIT_PATH)
  if (!removed.ok) throw failedError('The unit cannot be removed.', removed.failure)
  await systemctl(world, ['daemon-reload'])
  terminal.note(
    'Croft no longer starts at boot. Data and running machines stay; "croft down --machines" stops them.\n',
  )
  return EXIT.done
}

async function isOurUnit({ host }: World): Promise<boolean> {
  return (await host.files.stat(UNIT_PATH)).ok
}

async function requireSystemd({ host, terminal }: World, verb: string): Promise<void> {
  if (!(await host.files.stat('/run/systemd/system')).ok)
    throw new CliError({
      what: `systemd does not run on this computer, and croft ${verb} is for systemd.`,
      next: 'Have your own init run "croft up" at boot.',
      code: EXIT.refused,
      reason: 'NoSystemd',
    })
  if (terminal.userId !== 0)
    throw new CliError({
      what: `croft ${verb} writes ${UNIT_PATH}, which only root may.`,
      next: `sudo croft ${verb}`,
      code: EXIT.refused,
      reason: 'NotRoot',
    })
}

async function systemctl({ host }: World, words: readonly string[]): Promise<void> {
  const done = await host.exec.run(['systemctl', ...words], { timeoutMs: SYSTEMCTL_TIMEOUT_MS })
  if (!done.ok)
    throw failedError(`systemctl ${words.join(' ')} failed.`, done.failure, 'journalctl -u croft -n 50')
}
