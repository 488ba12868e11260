// Spec and status of a VirtualMachineInstanceMigration.
import { s } from '../build.ts'
import { virtualMachineInstanceMigrationState } from './migration-state.ts'

export const virtualMachineInstanceMigrationSource = s.object(
  {
    connectURL: s.string(),
    migrationID: s.string(),
  },
  undefined,
  { required: ['migrationID', 'connectURL'] },
)

export const virtualMachineInstanceMigrationTarget = s.object(
  {
    migrationID: s.string(),
  },
  undefined,
  { required: ['migrationID'] },
)

export const virtualMachineInstanceMigrationSpec = s.object({
  addedNodeSelector: s.map(s.string()),
  priority: s.string(),
  receive: virtualMachineInstanceMigrationTarget,
  sendTo: virtualMachineInstanceMigrationSource,
  vmiName: s.string(),
})

export const virtualMachineInstanceMigrationCondition = s.object(
  {
    lastProbeTime: s.string(undefined, { nullable: true }),
    lastTransitionTime: s.string(undefined, { nullable: true }),
    message: s.string(),
    reason: s.string(),
    status: s.string(),
    type: s.string(),
  },
  undefined,
  { required: ['type', 'status'] },
)

export const virtualMachineInstanceMigrationPhaseTransitionTimestamp = s.object({
  phase: s.string(),
  phaseTransitionTimestamp: s.time(),
})

export const virtualMachineInstanceMigrationStatus = s.object(
  {
    conditions: s.list(virtualMachineInstanceMigrationCondition),
    migrationState: virtualMachineInstanceMigrationState,
    phase: s.string(),
    phaseTransitionTimestamps: s.list(virtualMachineInstanceMigrationPhaseTransitionTimestamp),
    synchronizationAddresses: s.list(s.string()),
  },
  undefined,
  { nullable: true },
)
