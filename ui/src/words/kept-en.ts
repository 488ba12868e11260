// Texts about machines that are kept as a whole, put back, and cloned.

export const keptEn = {
  'kept.title': 'The machine with all its disks',
  'kept.take': 'Take snapshot of all',
  'kept.takeOf': 'Snapshot of {name}',
  'kept.taken': 'The snapshot {name} is being taken.',
  'kept.what': 'The machine and all its disks are kept as they are at one moment, also while it runs.',
  'kept.none': 'No snapshots yet. Take one before something risky: the way back is one press.',
  'kept.back': 'Put back',
  'kept.backTitle': 'Put {machine} back to {name}?',
  'kept.backWhat': 'The machine becomes what it was then, with its disks. What was written since is lost.',
  'kept.backAsked': '{machine} is being put back to {name}.',
  'kept.stopFirst': 'Stop the machine first',
  'kept.asNew': 'New machine',
  'kept.newTitle': 'New machine from {name}',
  'kept.newDo': 'Create',
  'kept.newWhat': 'A machine as it was then, with copies of its disks and addresses of its own.',
  'kept.newAsked': 'The machine {name} is being made.',
  'kept.clone': 'Clone',
  'kept.cloneMenu': 'Clone…',
  'kept.cloneTitle': 'Clone {name}',
  'kept.cloneWhat':
    'A new machine with copies of all disks and addresses of its own. It is made from a snapshot, which stays until you delete it.',
  'kept.delete': 'The snapshot is deleted with what it keeps of the disks. The machine stays as it is.',
  'tasks.keep': 'Snapshot of {name}',
  'tasks.bringBack': '{name} from snapshot {snapshot}',
} as const
