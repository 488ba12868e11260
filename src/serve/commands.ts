// The commands that start, stop and set up a server, by their words.
import type { Run } from '../cli/command.ts'

export const serverCommands: Readonly<Record<string, Run>> = {
  up: async (call, world) => (await import('./command-up.ts')).up(call, world),
  down: async (call, world) => (await import('./down.ts')).down(call, world),
  join: async (call, world) => (await import('./command-join.ts')).join(call, world),
  'token create': async (call, world) => (await import('./command-token.ts')).tokenCreate(call, world),
  'token list': async (call, world) => (await import('./command-token.ts')).tokenList(call, world),
  'token revoke': async (call, world) => (await import('./command-token.ts')).tokenRevoke(call, world),
  demo: async (call, world) => (await import('./demo.ts')).demo(call, world),
  install: async (call, world) => (await import('./install.ts')).install(call, world),
  uninstall: async (call, world) => (await import('./install.ts')).uninstall(call, world),
}
