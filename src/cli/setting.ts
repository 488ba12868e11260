// The settings of the cluster: which there are is fixed, a value that was never set is the default.
import { Setting } from '../kinds/harvester/setting.ts'
import { settings } from '../kinds/harvester/settings.ts'
import { EXIT, type Run } from './command.ts'
import { connect } from './connect.ts'
import { notFoundNear, printList, printOne } from './show.ts'

const docOf = (name: string): string => settings.find((one) => one.name === name)?.doc ?? ''

export const settingList: Run = async (call, world) => {
  const { client } = await connect(call, world)
  const { items } = await client.list(Setting)
  return printList(call, world, {
    kind: Setting,
    items,
    fields: [
      { name: 'Name', value: (setting) => setting.metadata.name },
      { name: 'Value', value: (setting) => oneLine(setting.value || setting.default || '') },
      { name: 'Changed', value: (setting) => (setting.value ? 'yes' : '') },
      { name: 'What it steers', wide: true, value: (setting) => docOf(setting.metadata.name ?? '') },
    ],
  })
}

function oneLine(text: string): string {
  const first = text.split('\n')[0] ?? ''
  return first.length < text.length || first.length > 60 ? `${first.slice(0, 57)}...` : first
}

export const settingShow: Run = async (call, world) => {
  const connection = await connect(call, world)
  const setting = await notFoundNear(world, connection, Setting, call.args[0] ?? '')
  if (call.text('output') !== undefined) return printOne(call, world, Setting, setting)
  world.terminal.note(`${docOf(setting.metadata.name ?? '')}\n`)
  world.terminal.out(`${setting.value || setting.default || ''}\n`)
  return EXIT.done
}

export const settingSet: Run = async (call, world) => {
  const [name = '', value = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Setting, name)
  await connection.client.patch(Setting, name, { value })
  world.terminal.note(`${name} is "${value}".\n`)
  return EXIT.done
}

export const settingReset: Run = async (call, world) => {
  const [name = ''] = call.args
  const connection = await connect(call, world)
  await notFoundNear(world, connection, Setting, name)
  const { default: usual = '' } = await connection.client.patch(Setting, name, { value: '' })
  world.terminal.note(`${name} has its default again: "${usual}".\n`)
  return EXIT.done
}
