// /version: the minor of Kubernetes whose behaviour is implemented. helm reads it as semver, kubectl warns of skew.
import type { JsonObject } from '../../base/json.ts'

const MAJOR = '1'
const MINOR = '35'
const PATCH = '2'

export function versionInfo(croftVersion: string): JsonObject {
  return {
    major: MAJOR,
    minor: MINOR,
    gitVersion: `v${MAJOR}.${MINOR}.${PATCH}+croft-${croftVersion}`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'croft',
    platform: 'linux/amd64',
  }
}
