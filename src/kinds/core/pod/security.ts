// What a Pod and its containers may do on their host.
import { s } from '../../build.ts'

export const capabilities = s.object({
  add: s.list(s.string()),
  drop: s.list(s.string()),
})

export const seLinuxOptions = s.object({
  user: s.string(),
  role: s.string(),
  type: s.string(),
  level: s.string(),
})

export const windowsSecurityContextOptions = s.object({
  gmsaCredentialSpecName: s.keep(s.string()),
  gmsaCredentialSpec: s.keep(s.string()),
  runAsUserName: s.keep(s.string()),
  hostProcess: s.keep(s.boolean()),
})

export const seccompProfile = s.object(
  {
    type: s.write(s.string()),
    localhostProfile: s.keep(s.string()),
  },
  undefined,
  { required: ['type'] },
)

export const appArmorProfile = s.object(
  {
    type: s.write(s.string()),
    localhostProfile: s.keep(s.string()),
  },
  undefined,
  { required: ['type'] },
)

export const securityContext = s.object({
  capabilities: capabilities,
  privileged: s.keep(s.boolean()),
  seLinuxOptions: seLinuxOptions,
  windowsOptions: windowsSecurityContextOptions,
  runAsUser: s.keep(s.int64()),
  runAsGroup: s.keep(s.int64()),
  runAsNonRoot: s.keep(s.boolean()),
  readOnlyRootFilesystem: s.keep(s.boolean()),
  allowPrivilegeEscalation: s.keep(s.boolean()),
  procMount: s.keep(s.string()),
  seccompProfile: seccompProfile,
  appArmorProfile: appArmorProfile,
})

export const sysctl = s.object({
  name: s.write(s.string()),
  value: s.write(s.string()),
})

export const podSecurityContext = s.object({
  seLinuxOptions: seLinuxOptions,
  windowsOptions: windowsSecurityContextOptions,
  runAsUser: s.keep(s.int64()),
  runAsGroup: s.keep(s.int64()),
  runAsNonRoot: s.keep(s.boolean()),
  supplementalGroups: s.list(s.int64()),
  supplementalGroupsPolicy: s.keep(s.string()),
  fsGroup: s.keep(s.int64()),
  sysctls: s.list(sysctl),
  fsGroupChangePolicy: s.keep(s.string()),
  seccompProfile: seccompProfile,
  appArmorProfile: appArmorProfile,
  seLinuxChangePolicy: s.keep(s.string()),
})
