// English texts of the pages that lists and objects of all kinds share, and of the pages beside machines.

export const pagesEn = {
  'page.volumes': 'Volumes',
} as const
