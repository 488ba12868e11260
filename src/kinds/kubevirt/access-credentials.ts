// Keys and passwords put into the guest without writing them into the machine object.
import { s } from '../build.ts'

export const accessCredentialSecretSource = s.object(
  {
    secretName: s.string(),
  },
  undefined,
  { required: ['secretName'] },
)

export const sshPublicKeyAccessCredentialSource = s.object({
  secret: accessCredentialSecretSource,
})

export const configDriveSSHPublicKeyAccessCredentialPropagation = s.object({})

export const noCloudSSHPublicKeyAccessCredentialPropagation = s.object({})

export const qemuGuestAgentSSHPublicKeyAccessCredentialPropagation = s.object(
  {
    users: s.set(s.string()),
  },
  undefined,
  { required: ['users'] },
)

export const sshPublicKeyAccessCredentialPropagationMethod = s.object({
  configDrive: configDriveSSHPublicKeyAccessCredentialPropagation,
  noCloud: noCloudSSHPublicKeyAccessCredentialPropagation,
  qemuGuestAgent: qemuGuestAgentSSHPublicKeyAccessCredentialPropagation,
})

export const sshPublicKeyAccessCredential = s.object(
  {
    propagationMethod: sshPublicKeyAccessCredentialPropagationMethod,
    source: sshPublicKeyAccessCredentialSource,
  },
  undefined,
  { required: ['source', 'propagationMethod'] },
)

export const userPasswordAccessCredentialSource = s.object({
  secret: accessCredentialSecretSource,
})

export const qemuGuestAgentUserPasswordAccessCredentialPropagation = s.object({})

export const userPasswordAccessCredentialPropagationMethod = s.object({
  qemuGuestAgent: qemuGuestAgentUserPasswordAccessCredentialPropagation,
})

export const userPasswordAccessCredential = s.object(
  {
    propagationMethod: userPasswordAccessCredentialPropagationMethod,
    source: userPasswordAccessCredentialSource,
  },
  undefined,
  { required: ['source', 'propagationMethod'] },
)

export const accessCredential = s.object({
  sshPublicKey: sshPublicKeyAccessCredential,
  userPassword: userPasswordAccessCredential,
})
