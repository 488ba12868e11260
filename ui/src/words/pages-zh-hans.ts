// 各类列表与对象页面共用的文本，以及虚拟机以外各页面的文本。

export const pagesZhHans = {
  'page.volumes': '卷',
} as const
