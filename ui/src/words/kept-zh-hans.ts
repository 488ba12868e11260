// 关于整机快照、恢复与克隆的文本。

export const keptZhHans = {
  'kept.title': '整台虚拟机及其所有磁盘',
  'kept.take': '创建整机快照',
  'kept.takeOf': '{name} 的快照',
  'kept.taken': '正在创建快照 {name}。',
  'kept.what': '虚拟机及其所有磁盘保留在同一时刻的状态，运行中也可以。',
  'kept.none': '还没有快照。在有风险的操作之前创建一个：一键即可恢复。',
  'kept.back': '恢复',
  'kept.backTitle': '将 {machine} 恢复到 {name}？',
  'kept.backWhat': '虚拟机及其磁盘将回到当时的状态，之后写入的内容会丢失。',
  'kept.backAsked': '正在将 {machine} 恢复到 {name}。',
  'kept.stopFirst': '请先关闭虚拟机',
  'kept.asNew': '新建虚拟机',
  'kept.newTitle': '从 {name} 新建虚拟机',
  'kept.newDo': '创建',
  'kept.newWhat': '与当时相同的虚拟机，带有磁盘的副本和自己的地址。',
  'kept.newAsked': '正在创建虚拟机 {name}。',
  'kept.clone': '克隆',
  'kept.cloneMenu': '克隆…',
  'kept.cloneTitle': '克隆 {name}',
  'kept.cloneWhat':
    '一台新的虚拟机，带有所有磁盘的副本和自己的地址。它由一个快照生成，该快照会保留到您删除为止。',
  'kept.delete': '快照及其保留的磁盘内容将被删除。虚拟机保持不变。',
  'tasks.keep': '{name} 的快照',
  'tasks.bringBack': '{name}，来自快照 {snapshot}',
} as const
