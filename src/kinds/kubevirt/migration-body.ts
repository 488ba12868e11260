// Spec and status of a VirtualMachineInstanceMigration.
import { s } from '../build.ts'
import { virtualMachineInstanceMigrationState } from './migration-state.ts'

export const virtualMachineInstanceMigrationSource = s.object(
  {
    connectURL: s.string('Address of the receiver.'),
    migrationID: s.string('Word that both sides know the move by.'),
  },
  'Sends the run to another cluster.',
  { required: ['migrationID', 'connectURL'] },
)

export const virtualMachineInstanceMigrationTarget = s.object(
  {
    migrationID: s.string('Word that both sides know the move by.'),
  },
  'Receives a run from another cluster.',
  { required: ['migrationID'] },
)

export const virtualMachineInstanceMigrationSpec = s.object(
  {
    addedNodeSelector: s.map(s.string(), 'Labels that the target must have beside those of the run.'),
    priority: s.string('Which move goes first.'),
    receive: s.doc(virtualMachineInstanceMigrationTarget, 'Receives a run from elsewhere.'),
    sendTo: s.doc(virtualMachineInstanceMigrationSource, 'Sends the run elsewhere.'),
    vmiName: s.string('Run that moves.'),
  },
  'Which run is to move.',
)

export const virtualMachineInstanceMigrationCondition = s.object(
  {
    lastProbeTime: s.string('When it was last looked at.', { nullable: true }),
    lastTransitionTime: s.string('When the status last changed.', { nullable: true }),
    message: s.string('One sentence for people.'),
    reason: s.string('One word for programs.'),
    status: s.string('True, False or Unknown.'),
    type: s.string('What it is about.'),
  },
  'One thing that holds for the move, or does not.',
  { required: ['type', 'status'] },
)

export const virtualMachineInstanceMigrationPhaseTransitionTimestamp = s.object(
  {
    phase: s.string('The phase.'),
    phaseTransitionTimestamp: s.time('The time.'),
  },
  'When a phase began.',
)

export const virtualMachineInstanceMigrationStatus = s.object(
  {
    conditions: s.list(virtualMachineInstanceMigrationCondition, 'What holds for the move now.'),
    migrationState: s.doc(virtualMachineInstanceMigrationState, 'How far it has come.'),
    phase: s.string(
      'Pending, Scheduling, Scheduled, PreparingTarget, TargetReady, Running, Succeeded or Failed.',
    ),
    phaseTransitionTimestamps: s.list(
      virtualMachineInstanceMigrationPhaseTransitionTimestamp,
      'When each phase began.',
    ),
    synchronizationAddresses: s.list(s.string(), 'Addresses for agreeing with another cluster.'),
  },
  'How the move is doing.',
  { nullable: true },
)
