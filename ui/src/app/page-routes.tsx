// Addresses of the pages beside machines, images and hosts: a list of each kind, and a page for each object of it.

export const pageRoutes = [] as const
