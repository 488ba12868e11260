// How a machine's programs are started: which user, which control groups, which network namespace. Each step ends
// in exec, so the process that was started is QEMU itself.
import type { RunAs } from './facts.ts'

export interface LaunchOptions {
  /** Absent: as the user that Croft runs as. */
  readonly runAs?: RunAs
  /** Files that take the pid of the new process (`cgroup.procs`). */
  readonly cgroupFiles: readonly string[]
  /** systemd makes the control group itself. */
  readonly scope?: { readonly unit: string; readonly properties: readonly string[] }
  /** Name under /run/netns. */
  readonly netns?: string
}

/** The shell puts itself into the control groups and becomes the program; so nothing runs outside them. */
const ENTER = 'while [ "$1" != -- ]; do echo $$ > "$1" || exit 71; shift; done; shift; exec "$@"'

export function launchArgv(argv: readonly string[], options: LaunchOptions): readonly string[] {
  const { runAs, cgroupFiles, scope, netns } = options
  const user = runAs
    ? [
        `--reuid=${runAs.uid}`,
        `--regid=${runAs.gid}`,
        runAs.groups.length > 0 ? `--groups=${runAs.groups.join(',')}` : '--clear-groups',
        '--bounding-set=-all',
        '--inh-caps=-all',
      ]
    : []
  return [
    ...(scope
      ? [
          'systemd-run',
          '--scope',
          '--quiet',
          '--collect',
          `--unit=${scope.unit}`,
          '--slice=croft.slice',
          ...scope.properties.flatMap((property) => ['-p', property]),
          '--',
        ]
      : []),
    ...(cgroupFiles.length > 0 ? ['/bin/sh', '-c', ENTER, 'sh', ...cgroupFiles, '--'] : []),
    ...(netns === undefined ? [] : ['nsenter', `--net=/run/netns/${netns}`, '--']),
    'setpriv',
    ...user,
    '--no-new-privs',
    '--',
    ...argv,
  ]
}
