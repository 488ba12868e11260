// The real API server over a memory store, on simulated time and chance.
import { type Api, createApi } from '../api/create-api.ts'
import type { UserInfo } from '../base/call.ts'
import type { Client } from '../client/client.ts'
import { createInProcessClient } from '../client/in-process.ts'
import type { Certificates } from '../host/certificates.ts'
import { allKinds } from '../kinds/index.ts'
import type { Store } from '../store/store.ts'
import type { SimProcess } from './process.ts'
import { hostOf } from './test-host.ts'

export const ADMIN: UserInfo = {
  username: 'system:admin',
  groups: ['system:masters', 'system:authenticated'],
}

/** Deciders and agents; what people may not write, they may. */
export const CONTROLLER: UserInfo = {
  username: 'system:kube-controller-manager',
  groups: ['system:masters', 'system:authenticated'],
}

export function startApi(process: SimProcess, store: Store): Promise<Api> {
  return createApi({
    store,
    host: hostOf(process),
    certificates: {} as Certificates,
    kinds: allKinds,
    identity: {
      clientCaPem: 'simulated',
      servingCaPem: 'simulated',
      tokenKeys: [],
      issuer: 'https://kubernetes.default.svc',
      staticTokens: [],
    },
    advertised: { addresses: ['10.0.0.1'], port: 6443, serviceIp: '10.96.0.1' },
    croftVersion: '0.0.0-sim',
  })
}

export function adminClient(api: Api, fieldManager = 'sim'): Client {
  return createInProcessClient({ api, user: ADMIN, fieldManager })
}
