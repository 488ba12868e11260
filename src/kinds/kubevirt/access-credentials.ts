// Keys and passwords put into the guest without writing them into the machine object.
import { s } from '../build.ts'

export const accessCredentialSecretSource = s.object(
  {
    secretName: s.string('Name of the Secret.'),
  },
  'A Secret with credentials.',
  { required: ['secretName'] },
)

export const sshPublicKeyAccessCredentialSource = s.object(
  {
    secret: s.doc(accessCredentialSecretSource, 'Secret whose values are the keys.'),
  },
  'Where keys come from.',
)

export const configDriveSSHPublicKeyAccessCredentialPropagation = s.object(
  {},
  'Hands keys over by the config drive.',
)

export const noCloudSSHPublicKeyAccessCredentialPropagation = s.object(
  {},
  'Hands keys over by the NoCloud disk.',
)

export const qemuGuestAgentSSHPublicKeyAccessCredentialPropagation = s.object(
  {
    users: s.set(s.string(), 'Users of the guest that get the keys.'),
  },
  'Writes keys by the guest agent.',
  { required: ['users'] },
)

export const sshPublicKeyAccessCredentialPropagationMethod = s.object(
  {
    configDrive: s.doc(configDriveSSHPublicKeyAccessCredentialPropagation, 'By the config drive.'),
    noCloud: s.doc(noCloudSSHPublicKeyAccessCredentialPropagation, 'By the NoCloud disk.'),
    qemuGuestAgent: s.doc(qemuGuestAgentSSHPublicKeyAccessCredentialPropagation, 'By the guest agent.'),
  },
  'How keys come into the guest; exactly one way.',
)

export const sshPublicKeyAccessCredential = s.object(
  {
    propagationMethod: s.doc(sshPublicKeyAccessCredentialPropagationMethod, 'How they come into the guest.'),
    source: s.doc(sshPublicKeyAccessCredentialSource, 'Where they come from.'),
  },
  'SSH keys for the guest.',
  { required: ['source', 'propagationMethod'] },
)

export const userPasswordAccessCredentialSource = s.object(
  {
    secret: s.doc(accessCredentialSecretSource, 'Secret with one entry for each user.'),
  },
  'Where passwords come from.',
)

export const qemuGuestAgentUserPasswordAccessCredentialPropagation = s.object(
  {},
  'Sets passwords by the guest agent.',
)

export const userPasswordAccessCredentialPropagationMethod = s.object(
  {
    qemuGuestAgent: s.doc(qemuGuestAgentUserPasswordAccessCredentialPropagation, 'By the guest agent.'),
  },
  'How passwords come into the guest.',
)

export const userPasswordAccessCredential = s.object(
  {
    propagationMethod: s.doc(userPasswordAccessCredentialPropagationMethod, 'How they come into the guest.'),
    source: s.doc(userPasswordAccessCredentialSource, 'Where they come from.'),
  },
  'Passwords for the guest.',
  { required: ['source', 'propagationMethod'] },
)

export const accessCredential = s.object(
  {
    sshPublicKey: s.doc(sshPublicKeyAccessCredential, 'SSH keys.'),
    userPassword: s.doc(userPasswordAccessCredential, 'Passwords.'),
  },
  'Keys or passwords that are put into the guest; exactly one kind.',
)
