// The commands that start, stop and set up a server, by their words.
import type { Run } from '../cli/command.ts'

const sandbox = () => import('./sandbox/command-sandbox.ts')
const links = () => import('./sandbox/command-links.ts')

export const serverCommands: Readonly<Record<string, Run>> = {
  up: async (call, world) => (await import('./command-up.ts')).up(call, world),
  down: async (call, world) => (await import('./down.ts')).down(call, world),
  join: async (call, world) => (await import('./command-join.ts')).join(call, world),
  'token create': async (call, world) => (await import('./command-token.ts')).tokenCreate(call, world),
  'token list': async (call, world) => (await import('./command-token.ts')).tokenList(call, world),
  'token revoke': async (call, world) => (await import('./command-token.ts')).tokenRevoke(call, world),
  'sandbox up': async (call, world) => (await sandbox()).sandboxUp(call, world),
  'sandbox kill': async (call, world) => (await sandbox()).sandboxKill(call, world),
  'sandbox start': async (call, world) => (await sandbox()).sandboxStart(call, world),
  'sandbox exec': async (call, world) => (await sandbox()).sandboxExec(call, world),
  'sandbox down': async (call, world) => (await sandbox()).sandboxDown(call, world),
  'sandbox cut': async (call, world) => (await links()).sandboxCut(call, world),
  'sandbox heal': async (call, world) => (await links()).sandboxHeal(call, world),
  'sandbox status': async (call, world) => (await links()).sandboxStatus(call, world),
  demo: async (call, world) => (await import('./demo.ts')).demo(call, world),
  install: async (call, world) => (await import('./install.ts')).install(call, world),
  uninstall: async (call, world) => (await import('./install.ts')).uninstall(call, world),
}
