// Spec and status of the KubeVirt object.

import { s } from '../build.ts'
import { kubeVirtConfiguration } from './kubevirt-configuration.ts'
import { affinity } from './pod/affinity.ts'
import { localObjectReference } from './pod/references.ts'
import { toleration } from './pod/scheduling.ts'

export const certConfig = s.object(
  {
    duration: s.string('Life of the certificate.'),
    renewBefore: s.string('Time before its end when it is renewed.'),
  },
  'How long a certificate lives.',
)

export const kubeVirtSelfSignConfiguration = s.object(
  {
    ca: s.doc(certConfig, 'The authority.'),
    caOverlapInterval: s.string('How long an old authority stays valid.'),
    caRotateInterval: s.string('How often the authority is renewed.'),
    certRotateInterval: s.string('How often certificates are renewed.'),
    server: s.doc(certConfig, 'Certificates of servers.'),
  },
  'Certificates that are made here.',
)

export const kubeVirtCertificateRotateStrategy = s.object(
  {
    selfSigned: s.doc(kubeVirtSelfSignConfiguration, 'They are made here.'),
  },
  'Where certificates come from.',
)

export const customizeComponentsPatch = s.object(
  {
    patch: s.string('The change.'),
    resourceName: s.string('Name of the object.'),
    resourceType: s.string('Kind of the object.'),
    type: s.string('json, merge or strategic.'),
  },
  'A change of an installed object.',
  { required: ['resourceName', 'resourceType', 'patch', 'type'] },
)

export const flags = s.object(
  {
    api: s.map(s.string(), 'Flags of the API.'),
    controller: s.map(s.string(), 'Flags of the controllers.'),
    handler: s.map(s.string(), 'Flags of the agents.'),
  },
  'Flags of the parts.',
)

export const customizeComponents = s.object(
  {
    flags: s.doc(flags, 'Flags of the parts.'),
    patches: s.list(customizeComponentsPatch, 'The changes.'),
  },
  'Changes of installed objects.',
)

export const nodePlacement = s.object(
  {
    affinity: s.doc(affinity, 'Nodes and neighbours.'),
    nodeSelector: s.map(s.string(), 'Labels that nodes must have.'),
    tolerations: s.list(toleration, 'Taints that are borne.'),
  },
  'Where parts run.',
)

export const componentConfig = s.object(
  {
    nodePlacement: s.doc(nodePlacement, 'Where they run.'),
    replicas: s.integer('How many there are.'),
  },
  'Where parts run, and how many.',
)

export const kubeVirtWorkloadUpdateStrategy = s.object(
  {
    batchEvictionInterval: s.string('Time between batches.'),
    batchEvictionSize: s.integer('Machines in one batch.'),
    workloadUpdateMethods: s.list(s.string(), 'LiveMigrate or Evict, the preferred one first.'),
  },
  'How running machines come to a new version.',
)

export const kubeVirtSpec = s.object(
  {
    certificateRotateStrategy: s.doc(kubeVirtCertificateRotateStrategy, 'Where certificates come from.'),
    configuration: s.doc(kubeVirtConfiguration, 'Settings of virtual machines.'),
    customizeComponents: s.doc(customizeComponents, 'Changes of installed objects; without effect in Croft.'),
    imagePullPolicy: s.oneOf(
      ['Always', 'IfNotPresent', 'Never'],
      'When images are fetched again; without effect in Croft.',
    ),
    imagePullSecrets: s.list(localObjectReference, 'Secrets for fetching images; without effect in Croft.'),
    imageRegistry: s.string('Where images come from; without effect in Croft.'),
    imageTag: s.string('Version of images; without effect in Croft.'),
    infra: s.doc(componentConfig, 'Where the control plane runs; without effect in Croft.'),
    monitorAccount: s.string('Account of the monitoring.'),
    monitorNamespace: s.string('Namespace of the monitoring.'),
    productComponent: s.string('Label of installed objects.'),
    productName: s.string('Label of installed objects.'),
    productVersion: s.string('Label of installed objects.'),
    serviceMonitorNamespace: s.string('Namespace of the objects for monitoring.'),
    synchronizationPort: s.string('Port for agreeing with other clusters.'),
    uninstallStrategy: s.string('RemoveWorkloads or BlockUninstallIfWorkloadsExist.'),
    workloadUpdateStrategy: s.doc(
      kubeVirtWorkloadUpdateStrategy,
      'How running machines come to a new version.',
    ),
    workloads: s.doc(componentConfig, 'Where machines run.'),
  },
  'How virtual machines are set up.',
)

export const kubeVirtCondition = s.object(
  {
    lastProbeTime: s.string('When it was last looked at.', { nullable: true }),
    lastTransitionTime: s.string('When the status last changed.', { nullable: true }),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('What it is about, for instance Available.'),
  },
  'One thing that holds, or does not.',
  { required: ['type', 'status'] },
)

export const generationStatus = s.object(
  {
    group: s.string('Its group.'),
    hash: s.string('Sum over its spec.'),
    lastGeneration: s.integer('Its generation.', { format: 'int64' }),
    name: s.string('Its name.'),
    namespace: s.string('Its namespace.'),
    resource: s.string('Its resource.'),
  },
  'An installed object.',
  { required: ['group', 'resource', 'name', 'lastGeneration'] },
)

export const kubeVirtStatus = s.object(
  {
    conditions: s.list(kubeVirtCondition, 'What holds now.'),
    defaultArchitecture: s.string('Architecture of machines that name none.'),
    generations: s.list(generationStatus, 'Installed objects.'),
    observedDeploymentConfig: s.string('Settings of what is installed.'),
    observedDeploymentID: s.string('Identity of what is installed.'),
    observedGeneration: s.integer('Generation of the spec that this status answers.', { format: 'int64' }),
    observedKubeVirtRegistry: s.string('Where it comes from.'),
    observedKubeVirtVersion: s.string('Version that runs.'),
    operatorVersion: s.string('Version that clients compare theirs with.'),
    outdatedVirtualMachineInstanceWorkloads: s.integer('Machines that run an older version.'),
    phase: s.string('Deployed once machines can be run.'),
    synchronizationAddresses: s.list(s.string(), 'Addresses for agreeing with other clusters.'),
    targetDeploymentConfig: s.string('Settings of what is to be installed.'),
    targetDeploymentID: s.string('Identity of what is to be installed.'),
    targetKubeVirtRegistry: s.string('Where it is to come from.'),
    targetKubeVirtVersion: s.string('Version that is to run.'),
  },
  'Whether virtual machines can be run, and in which version.',
  { nullable: true },
)
