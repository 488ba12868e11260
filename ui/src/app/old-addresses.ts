// The server also gives this page at /ui and /dashboard, where users of similar products look for it.

const PREFIX = /^\/(?:ui|dashboard)(?=\/|$)/

export function stripPrefix(): void {
  const { pathname, search, hash } = location
  if (PREFIX.test(pathname))
    history.replaceState(null, '', `${pathname.replace(PREFIX, '') || '/'}${search}${hash}`)
}
