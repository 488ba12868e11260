// `croft demo`: from nothing to a machine at its login prompt, and how to reach it. What is there already is kept, so
// that a second run only looks and tells.

import { CliError } from '../cli/cli-error.ts'
import { type Call, EXIT, type World } from '../cli/command.ts'
import { type Connection, connectionTo } from '../cli/connect.ts'
import { waitForText } from '../cli/console.ts'
import { ensureDemoImage } from '../cli/demo-image.ts'
import type { Image } from '../cli/image.ts'
import { listenAddress } from '../cli/listen.ts'
import { isRunning, waitForMachine } from '../cli/machine.ts'
import { type MachineWish, secretName, userDataFor } from '../cli/machine-objects.ts'
import { progressOf } from '../cli/progress.ts'
import { createMachine, suffixOf } from '../cli/vm-create.ts'
import { parseKubeconfig } from '../client/kubeconfig.ts'
import { Secret } from '../kinds/core/secret.ts'
import type { KindOf } from '../kinds/kind.ts'
import { VirtualMachine } from '../kinds/kubevirt/virtual-machine.ts'
import { say } from '../words/say.ts'
import { dataFolderOf, dataWords, startDetached, type UpWish } from './command-up.ts'
import { firstPassword } from './first-password.ts'
import { findRunning } from './running.ts'

const MACHINE = 'demo'
const NAMESPACE = 'default'
/** User of the demo image. */
const GUEST_USER = 'croft'
const PASSWORD_ANNOTATION = 'croft.io/demo-secret'
const READY_TIMEOUT_MS = 60_000
/** The guest boots in some seconds under KVM; emulated on a busy computer it takes longer. Milliseconds. */
const LOGIN_TIMEOUT_MS = 5 * 60_000
const LOGIN_PROMPT = 'login:'
const KEY_FILES = ['id_ed25519.pub', 'id_ecdsa.pub', 'id_rsa.pub']

export async function demo(call: Call, world: World): Promise<number> {
  const wish: UpWish = {
    dataFolder: dataFolderOf(call, world),
    listen: listenAddress(call),
    timeoutMs: READY_TIMEOUT_MS,
  }
  const timeoutMs = call.duration('timeout') ?? LOGIN_TIMEOUT_MS
  const running = (await findRunning(world.host, wish.dataFolder)) ?? (await startDetached(world, wish))
  const connection = await connectTo(world, wish.dataFolder)
  world.terminal.note(`Croft runs at ${running.url}\n`)
  const image = await ensureDemoImage(world, connection)
  const password = await ensureMachine(world, connection, image)
  await waitForMachine(world, connection, MACHINE, {
    what: `${MACHINE} runs`,
    timeoutMs,
    done: isRunning,
    starts: true,
  })
  await waitForLogin(world, connection, timeoutMs)
  await tell(world, wish, { url: running.url, password })
  return EXIT.done
}

async function connectTo(world: World, dataFolder: string): Promise<Connection> {
  const text = await world.host.files.readText(`${dataFolder}/kubeconfig`)
  const config = text.ok ? parseKubeconfig(text.value) : text
  if (config.ok) return connectionTo(config.value, world, { dataFolder, namespace: NAMESPACE })
  throw new CliError({
    what: 'The kubeconfig of the server cannot be read.',
    why: config.failure.message,
    code: EXIT.failed,
    reason: config.failure.reason,
  })
}

/** Makes the machine, starts one that is off; gives the password that its cloud-init set. */
async function ensureMachine(
  world: World,
  connection: Connection,
  image: Image,
): Promise<string | undefined> {
  const { client } = connection
  const list = await client.list(VirtualMachine, {
    namespace: NAMESPACE,
    fieldSelector: `metadata.name=${MACHINE}`,
  })
  const [present] = list.items
  if (present) {
    if (present.status?.printableStatus === 'Stopped')
      await connection.ask(
        'PUT',
        `/apis/subresources.kubevirt.io/v1/namespaces/${NAMESPACE}/virtualmachines/${MACHINE}/start`,
        {},
      )
    return passwordOf(connection, present)
  }
  const password = readable(world)
  const wish: MachineWish = {
    name: MACHINE,
    namespace: NAMESPACE,
    suffix: suffixOf(world),
    cpus: 1,
    memory: '256Mi',
    disk: '1Gi',
    image: {
      id: `${NAMESPACE}/${image.metadata.name}`,
      ...(image.status?.storageClassName ? { storageClass: image.status.storageClassName } : {}),
    },
    userData: userDataFor({ hostname: MACHINE, sshKeys: await ownKeys(world), password }),
    runStrategy: 'Always',
    graceSeconds: 20,
  }
  await createMachine(connection, wish)
  await client.patch(
    VirtualMachine,
    MACHINE,
    { metadata: { annotations: { [PASSWORD_ANNOTATION]: secretName(wish) } } },
    { namespace: NAMESPACE },
  )
  return password
}

/** From the Secret that cloud-init was given, so that a second run can tell it, too. */
async function passwordOf(
  { client }: Connection,
  machine: KindOf<typeof VirtualMachine>,
): Promise<string | undefined> {
  const name = machine.metadata.annotations?.[PASSWORD_ANNOTATION]
  if (name === undefined) return undefined
  const secrets = await client.list(Secret, { namespace: NAMESPACE, fieldSelector: `metadata.name=${name}` })
  const userData = secrets.items[0]?.data?.['userdata']
  return userData === undefined ? undefined : /^password: "(.*)"$/m.exec(atob(String(userData)))?.[1]
}

/** Letters that are not mistaken for each other. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'
const PASSWORD_LENGTH = 10

function readable({ host }: World): string {
  return [...host.random.bytes(PASSWORD_LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
}

async function ownKeys({ host, terminal }: World): Promise<readonly string[]> {
  const home = terminal.env('HOME') ?? '/root'
  const texts = await Promise.all(KEY_FILES.map((file) => host.files.readText(`${home}/.ssh/${file}`)))
  return texts.flatMap((text) => (text.ok ? [text.value.trim()] : []))
}

async function waitForLogin(world: World, connection: Connection, timeoutMs: number): Promise<void> {
  const progress = progressOf(world)
  progress.step(`${MACHINE}: waiting for its login prompt`)
  try {
    // The console begins with what the guest said lately, a prompt that stands there already included.
    await waitForText(world, connection, { name: MACHINE, text: LOGIN_PROMPT, timeoutMs })
  } finally {
    progress.end()
  }
}

async function tell(
  world: World,
  wish: UpWish,
  { url, password }: { readonly url: string; readonly password: string | undefined },
): Promise<void> {
  const { terminal, language, root } = world
  const data = dataWords(wish)
  const croft = terminal.folder === root ? './croft' : `${root}/croft`
  const first = await firstPassword(world.host.files, wish.dataFolder)
  const login =
    first === undefined
      ? 'user admin, with the password that you set (lost? see croft help user passwd)'
      : `user admin, password ${first} (to be changed at the first login)`
  const rows: readonly (readonly [string, string])[] = [
    ['Web page', `${url}/`],
    ['Log in as', login],
    ['kubectl', `export KUBECONFIG=${wish.dataFolder}/kubeconfig`],
    ['Console', `${croft} vm console ${MACHINE}${data}`],
    ['SSH', `${croft} vm ssh ${GUEST_USER}@${MACHINE}${data}`],
    [
      'In the guest',
      password === undefined ? `user ${GUEST_USER}` : `user ${GUEST_USER}, password ${password}`,
    ],
    ['Stop it all', `${croft} down --machines${data}`],
  ]
  terminal.note(`${MACHINE}: ${say(language, 'state.vm.Running')}, at its login prompt\n\n`)
  terminal.out(rows.map(([name, text]) => `${`${name}:`.padEnd(14)} ${text}\n`).join(''))
}
