// The commands for images, volumes and what is kept of them, of the command table.
import type { Command } from './command.ts'
import { ALL, command, IN_NAMESPACE, nameOfA, OUTPUT, WAITING, YES } from './command-flags.ts'
import { SERVER_FLAGS } from './connect.ts'

const VOLUME = nameOfA('volume', 'Name of the claim of the volume.')
const SNAPSHOT = nameOfA('snapshot', 'Name of the snapshot.')
const TEMPLATE = nameOfA('template', 'Name of the template.')

export const storageCommands: readonly Command[] = [
  command(
    'image create',
    'Imports a disk image from a web address or a file, and waits until it is there.',
    async () => (await import('./image-create.ts')).imageCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the image.' }],
      flags: [
        { name: 'url', type: 'text', value: 'URL', doc: 'Address to download it from, http or https.' },
        { name: 'file', type: 'text', value: 'FILE', doc: 'File on this computer to upload.' },
        {
          name: 'checksum',
          type: 'text',
          value: 'SHA512',
          doc: 'SHA-512 that the file must have, in hexadecimal.',
        },
        { name: 'display-name', type: 'text', value: 'TEXT', doc: 'Name for people; NAME without it.' },
        OUTPUT,
        ...WAITING,
      ],
      examples: ['croft image create debian-12 --file debian-12.qcow2'],
    },
  ),
  command(
    'image list',
    'The images of a namespace.',
    async () => (await import('./image-list.ts')).imageList,
    {
      flags: [OUTPUT, ALL, ...IN_NAMESPACE],
    },
  ),
  command('image show', 'All about one image.', async () => (await import('./image-list.ts')).imageShow, {
    args: [nameOfA('image', 'Name of the image.')],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command('image delete', 'Deletes an image.', async () => (await import('./image-list.ts')).imageDelete, {
    args: [nameOfA('image', 'Name of the image.')],
    flags: [YES, ...WAITING],
  }),
  command(
    'volume create',
    'Makes a volume of its own, empty or from an image.',
    async () => (await import('./volume-change.ts')).volumeCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the volume.' }],
      flags: [
        { name: 'size', type: 'quantity', value: 'SIZE', doc: 'Its size.' },
        { name: 'image', type: 'text', value: 'IMAGE', doc: 'Image it begins as: a name or namespace/name.' },
        { name: 'class', type: 'text', value: 'CLASS', doc: 'Storage class; the default one without it.' },
        OUTPUT,
        ...WAITING,
      ],
      examples: [
        'croft volume create data --size 50Gi',
        'croft volume create root --size 10Gi --image debian-12',
      ],
    },
  ),
  command(
    'volume expand',
    'Lets a volume grow, also under a running machine.',
    async () => (await import('./volume-change.ts')).volumeExpand,
    {
      args: [VOLUME, { name: 'SIZE', doc: 'Its new size, for instance 20Gi.' }],
      flags: WAITING,
      examples: ['croft volume expand data 100Gi'],
    },
  ),
  command(
    'volume delete',
    'Deletes a volume with all that is on it.',
    async () => (await import('./volume-change.ts')).volumeDelete,
    { args: [VOLUME], flags: [YES, ...WAITING], examples: ['croft volume delete data'] },
  ),
  command(
    'volume list',
    'The volumes of the cluster.',
    async () => (await import('./volume.ts')).volumeList,
    {
      flags: [OUTPUT, ...SERVER_FLAGS],
    },
  ),
  command('volume show', 'All about one volume.', async () => (await import('./volume.ts')).volumeShow, {
    args: [nameOfA('volume', 'Name of the volume, or of the claim that it belongs to.')],
    flags: [OUTPUT, ...IN_NAMESPACE],
  }),
  command(
    'volume snapshot',
    'Keeps a volume as it is now.',
    async () => (await import('./snapshot.ts')).volumeSnapshot,
    {
      args: [
        VOLUME,
        { name: 'SNAPSHOT', doc: 'Name of the snapshot; one is made without it.', optional: true },
      ],
      flags: WAITING,
      examples: ['croft volume snapshot data'],
    },
  ),
  command(
    'snapshot list',
    'The snapshots of machines.',
    async () => (await import('./snapshot.ts')).snapshotList,
    { flags: [OUTPUT, ALL, ...IN_NAMESPACE] },
  ),
  command(
    'snapshot show',
    'All about one snapshot.',
    async () => (await import('./snapshot.ts')).snapshotShow,
    { args: [SNAPSHOT], flags: [OUTPUT, ...IN_NAMESPACE] },
  ),
  command(
    'snapshot delete',
    'Forgets a snapshot; the machine stays as it is.',
    async () => (await import('./snapshot.ts')).snapshotDelete,
    { args: [SNAPSHOT], flags: [YES, ...WAITING] },
  ),
  command(
    'template list',
    'Blueprints of machines.',
    async () => (await import('./template.ts')).templateList,
    { flags: [OUTPUT, ALL, ...IN_NAMESPACE] },
  ),
  command(
    'template show',
    'What a machine of a template will be.',
    async () => (await import('./template.ts')).templateShow,
    { args: [TEMPLATE], flags: [OUTPUT, ...IN_NAMESPACE] },
  ),
  command(
    'template create',
    'Makes a template from a machine, or a new version of one.',
    async () => (await import('./template.ts')).templateCreate,
    {
      args: [{ name: 'NAME', doc: 'Name of the template.' }],
      flags: [
        { name: 'from-vm', type: 'text', value: 'VM', doc: 'Machine whose form it takes.' },
        { name: 'description', type: 'text', value: 'TEXT', doc: 'What it is for.' },
        { name: 'default', type: 'switch', doc: 'Makes a new version of a template the default one.' },
        ...IN_NAMESPACE,
      ],
      examples: ['croft template create small-web --from-vm web'],
    },
  ),
  command(
    'template delete',
    'Deletes a template with its versions. Machines that were made of it stay.',
    async () => (await import('./template.ts')).templateDelete,
    { args: [TEMPLATE], flags: [YES, ...WAITING] },
  ),
]
