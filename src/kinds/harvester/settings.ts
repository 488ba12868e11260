// The settings of the cluster: names, defaults and what a value may be. Only settings that something acts on, or
// that clients read at their start, are here; the others come with what they steer.
import type { KubeObject } from '../../base/object.ts'
import {
  anyText,
  booleanText,
  integerBetween,
  isAnything,
  isBoolean,
  isInteger,
  isText,
  isTexts,
  jsonMap,
  jsonObject,
  labelText,
  oneOfTexts,
  overheadRatio,
  pemText,
  readJson,
  urlText,
  type ValueCheck,
} from './setting-values.ts'

export interface SettingDefinition {
  readonly name: string
  /** In force while the object's own value is empty. */
  readonly default: string
  readonly check: ValueCheck
  /** What it steers, in a sentence for people. */
  readonly doc: string
  /** Readable by everybody who is logged in. */
  readonly public?: boolean
  /** Set by the server alone. */
  readonly readOnly?: boolean
  /** Cannot be deleted; elsewhere deleting means: back to the default. */
  readonly keep?: boolean
}

/** Default of overcommit-config: percent of a limit that is given out. */
export const OVERCOMMIT_DEFAULT = { cpu: 1000, memory: 150, storage: 100 } as const
const OVERCOMMIT_MIN = 100

export const settings: readonly SettingDefinition[] = [
  {
    name: 'additional-ca',
    default: '',
    check: pemText,
    doc: 'Certificates that are trusted beside those of the system, for instance of an image server.',
  },
  {
    name: 'additional-guest-memory-overhead-ratio',
    default: '1.5',
    check: overheadRatio,
    doc: 'Multiplies the memory that is reserved for running a guest beside its own memory.',
  },
  {
    name: 'auto-disk-provision-paths',
    default: '',
    check: anyText,
    doc: 'Patterns of devices, separated by commas, that are taken for storage without asking.',
  },
  {
    name: 'image-source-allow-list',
    default: '',
    check: anyText,
    doc: 'Addresses and networks, separated by commas, that images may be fetched from although they are local.',
  },
  {
    name: 'backup-target',
    default: '',
    check: jsonObject({
      type: (value) => (value === '' || value === 's3' || value === 'nfs' ? undefined : 'must be s3 or nfs'),
      endpoint: isText,
      accessKeyId: isText,
      secretAccessKey: isText,
      bucketName: isText,
      bucketRegion: isText,
      cert: isText,
      virtualHostedStyle: isBoolean,
      refreshIntervalInSeconds: isInteger(0),
    }),
    doc: 'Where backups go.',
  },
  {
    name: 'cluster-registration-url',
    default: '{"url":"","insecureSkipTLSVerify":false}',
    check: jsonObject({ url: isText, insecureSkipTLSVerify: isBoolean }),
    doc: 'Where this cluster registers to be managed together with others.',
  },
  {
    name: 'csi-driver-config',
    default:
      '{"driver.longhorn.io":{"volumeSnapshotClassName":"longhorn-snapshot","backupVolumeSnapshotClassName":"longhorn"}}',
    check: jsonMap(isAnything),
    doc: 'Snapshot classes used for each storage driver.',
  },
  {
    name: 'csi-online-expand-validation',
    default: '{"driver.longhorn.io":true}',
    check: jsonMap(isBoolean),
    doc: 'Storage drivers whose volumes may grow while they are attached.',
  },
  {
    name: 'default-storage-class',
    default: 'longhorn',
    check: anyText,
    doc: 'Class that templates name.',
    public: true,
  },
  {
    name: 'default-vm-termination-grace-period-seconds',
    default: '120',
    check: integerBetween(0, 7 * 24 * 3600),
    doc: 'Seconds a guest gets to shut down when its machine does not say.',
    public: true,
  },
  {
    name: 'harvester-csi-ccm-versions',
    default: '{"harvester-cloud-provider":">=0.0.1 <0.3.0","harvester-csi-provider":">=0.0.1 <0.3.0"}',
    check: jsonMap(isText),
    doc: 'Versions of the drivers that Kubernetes clusters inside machines may use.',
    public: true,
  },
  {
    name: 'http-proxy',
    default: '{}',
    check: jsonObject({ httpProxy: isText, httpsProxy: isText, noProxy: isText }),
    doc: 'Proxy for downloads of the cluster itself.',
  },
  {
    name: 'kubeconfig-default-token-ttl-minutes',
    default: '0',
    check: integerBetween(0, 52_560_000),
    doc: 'Minutes that tokens of generated kubeconfigs live; 0 means for ever.',
  },
  {
    name: 'log-level',
    default: 'info',
    check: oneOfTexts(['info', 'debug', 'trace']),
    doc: 'How much is logged.',
  },
  {
    name: 'max-hotplug-ratio',
    default: '4',
    check: integerBetween(1, 20),
    doc: 'How far processors and memory may grow while running, as a multiple.',
  },
  {
    name: 'ntp-servers',
    default: '',
    check: jsonObject({ ntpServers: isTexts }, ntpWrong),
    doc: 'Time servers of the nodes.',
  },
  {
    name: 'overcommit-config',
    default: JSON.stringify(OVERCOMMIT_DEFAULT),
    check: jsonObject({
      cpu: isInteger(OVERCOMMIT_MIN),
      memory: isInteger(OVERCOMMIT_MIN),
      storage: isInteger(OVERCOMMIT_MIN),
    }),
    doc: 'Percent of processors, memory and storage that are given out; 100 gives out no more than there is.',
  },
  { name: 'release-download-url', default: '', check: urlText, doc: 'Where new versions are found.' },
  {
    name: 'server-version',
    default: 'v0.1.0',
    check: anyText,
    doc: 'Version of this server.',
    public: true,
    readOnly: true,
  },
  {
    name: 'ssl-certificates',
    default: '{}',
    check: jsonObject({ ca: isText, publicCertificate: isText, privateKey: isText }, certificatesWrong),
    doc: 'Certificate that browsers see.',
  },
  {
    name: 'support-bundle-namespaces',
    default: '',
    check: anyText,
    doc: 'Further namespaces to look into for a support bundle.',
  },
  {
    name: 'support-bundle-timeout',
    default: '50',
    check: integerBetween(0, 100_000),
    doc: 'Minutes that making a support bundle may take.',
  },
  {
    name: 'support-bundle-expiration',
    default: '30',
    check: integerBetween(0, 100_000),
    doc: 'Minutes that a finished support bundle is kept.',
  },
  {
    name: 'support-bundle-node-collection-timeout',
    default: '30',
    check: integerBetween(0, 100_000),
    doc: 'Minutes that one node may take for a support bundle.',
  },
  { name: 'support-bundle-file-name', default: '', check: labelText, doc: 'Name of support bundles.' },
  {
    name: 'ui-source',
    default: 'auto',
    check: oneOfTexts(['auto', 'external', 'bundled']),
    doc: 'Where the web page is loaded from.',
  },
  {
    name: 'upgrade-checker-enabled',
    default: 'true',
    check: booleanText,
    doc: 'Whether new versions are looked for.',
  },
  {
    name: 'vm-force-reset-policy',
    default: '{"enable":true,"period":15,"vmMigrationTimeout":180}',
    check: jsonObject({ enable: isBoolean, period: isInteger(1), vmMigrationTimeout: isInteger(1) }),
    doc: 'When machines of a node that does not answer are started elsewhere; seconds.',
  },
  {
    name: 'volume-snapshot-class',
    default: 'longhorn',
    check: anyText,
    doc: 'Class of snapshots for backups.',
  },
]

const byName = new Map(settings.map((setting) => [setting.name, setting]))

export function settingNamed(name: string): SettingDefinition | undefined {
  return byName.get(name)
}

export interface Overcommit {
  readonly cpu: number
  readonly memory: number
  readonly storage: number
}

/** The ratios in force, in percent; a broken value counts as the default. */
export function overcommitOf(value: string): Overcommit {
  const read = readJson(value)
  const ratio = (name: keyof Overcommit): number => {
    const percent =
      typeof read === 'object' && read !== null ? (read as Record<string, unknown>)[name] : undefined
    return typeof percent === 'number' && percent >= OVERCOMMIT_MIN ? percent : OVERCOMMIT_DEFAULT[name]
  }
  return { cpu: ratio('cpu'), memory: ratio('memory'), storage: ratio('storage') }
}

/** The objects that exist from the first start on, so that clients find every name. */
export function settingObjects(): readonly KubeObject[] {
  return settings.map(({ name, default: initial }) => ({
    apiVersion: 'harvesterhci.io/v1beta1',
    kind: 'Setting',
    metadata: { name },
    default: initial,
    value: '',
  }))
}

function ntpWrong(object: { readonly ntpServers?: unknown }): string | undefined {
  const servers = (object.ntpServers ?? []) as readonly string[]
  if (new Set(servers).size !== servers.length) return 'names a server twice'
  const bad = servers.find((server) => !/^[A-Za-z0-9]([A-Za-z0-9.:-]*[A-Za-z0-9])?$/.test(server))
  return bad === undefined ? undefined : `has ${JSON.stringify(bad)}, which is neither a name nor an address`
}

function certificatesWrong(object: Readonly<Record<string, unknown>>): string | undefined {
  const { publicCertificate = '', privateKey = '' } = object
  if ((publicCertificate === '') !== (privateKey === ''))
    return 'needs publicCertificate and privateKey together'
  const wrong = publicCertificate === '' ? undefined : pemText(String(publicCertificate))
  if (wrong) return `field "publicCertificate" ${wrong}`
  return privateKey === '' || /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(String(privateKey))
    ? undefined
    : 'field "privateKey" must be a private key in PEM form'
}
