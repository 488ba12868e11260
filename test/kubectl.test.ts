// The real kubectl and helm against a real server over TLS: what people type must work.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { memoryStore } from '../src/store/memory.ts'
import { openSqliteStore } from '../src/store/sqlite.ts'
import type { Store } from '../src/store/store.ts'
import { type HttpsApi, type Ran, runTool, startHttpsApi } from './https-api.ts'
import { kubectlTools, type Tools } from './kubectl-binary.ts'

const tools = await kubectlTools()

const VM = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: vm1}
spec:
  runStrategy: Halted
  template:
    spec:
      domain: {devices: {}, resources: {requests: {memory: 128Mi}}}
`
const DEFINITION = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns: [{name: Size, type: integer, jsonPath: .spec.size}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, default: 3, maximum: 10}}}
`
const WIDGET = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w1, namespace: default}
spec: {}
`

const stores: Readonly<Record<string, (folder: string) => Promise<Store>>> = {
  memory: async () => memoryStore(),
  sqlite: async (folder) => {
    const opened = openSqliteStore(join(folder, 'state.db'))
    if (!opened.ok) throw new Error(opened.failure.message)
    return opened.value
  },
}

for (const [name, open] of Object.entries(stores)) {
  describe(`kubectl on the ${name} store`, { skip: tools ? false : 'kubectl cannot be had here' }, () => {
    let folder = ''
    let api: HttpsApi
    const { kubectl, helm } = tools as Tools
    const k = (line: string, input?: string): Promise<Ran> =>
      runTool(api, kubectl, line.split(' '), input === undefined ? {} : { input })
    const good = async (line: string, input?: string): Promise<string> => {
      const ran = await k(line, input)
      assert.equal(ran.code, 0, `kubectl ${line}: ${ran.stderr}${ran.stdout}`)
      return ran.stdout
    }

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'croft-kubectl-test-'))
      api = await startHttpsApi({ store: await open(folder) })
    })
    after(async () => {
      await api.close()
      await rm(folder, { recursive: true, force: true })
    })

    test('apply, get, describe, delete a machine; applying again changes nothing', async () => {
      assert.match(await good('apply -f -', VM), /vm1 created/)
      const version = () => good('get vm vm1 -o jsonpath={.metadata.resourceVersion}')
      const first = await version()
      assert.match(await good('apply -f -', VM), /vm1 unchanged/)
      assert.equal(await version(), first)
      assert.match(await good('apply -f -', VM.replace('Halted', 'Always')), /vm1 configured/)
      assert.match(await good('get vm'), /NAME +AGE +STATUS +READY\nvm1/)
      assert.match(await good('describe vm vm1'), /Run Strategy: +Always/)
      assert.match(await good('get vm -o wide --show-labels'), /LABELS/)
      // The machine's decider, which is not part of this test, would let it go.
      assert.match(await good('delete vm vm1 --wait=false'), /deleted/)
      await good(`patch vm vm1 --type=merge -p {"metadata":{"finalizers":null}}`)
      assert.equal((await k('get vm vm1')).code, 1)
    })

    test('a misspelt field is refused with its path', async () => {
      const ran = await k('apply -f -', VM.replace('domain: {', 'domain: {memmory: {guest: 1Gi}, '))
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, /unknown field "spec.template.spec.domain.memmory"/)
    })

    test('create, label, annotate, patch and edit', async () => {
      await good('create configmap a --from-literal=x=1')
      await good('label configmap a team=b')
      await good('annotate configmap a note=c')
      await good('patch configmap a -p {"data":{"y":"2"}}')
      await good('patch configmap a --type=json -p [{"op":"add","path":"/data/z","value":"3"}]')
      const editor = join(folder, 'editor')
      await writeFile(editor, '#!/bin/sh\nsed -i "s/x: \\"1\\"/x: edited/" "$1"\n')
      await chmod(editor, 0o755)
      const edited = await runTool(api, kubectl, ['edit', 'configmap', 'a'], { env: { KUBE_EDITOR: editor } })
      assert.equal(edited.code, 0, edited.stderr)
      const data = JSON.parse(await good('get configmap a -o jsonpath={.data}')) as unknown
      assert.deepEqual(data, { x: 'edited', y: '2', z: '3' })
      await good('create secret generic s --from-literal=password=p')
      await good('create role r --verb=get --resource=pods')
      await good('create rolebinding rb --role=r --user=bob')
      await good('create quota q --hard=pods=3')
      assert.equal((await good('auth can-i get pods --as bob')).trim(), 'yes')
      assert.equal((await k('auth can-i delete pods --as bob')).stdout.trim(), 'no')
      assert.match(await good('auth whoami'), /kubernetes-admin/)
      assert.match(await good('auth can-i --list --as bob'), /pods/)
    })

    test('server-side apply tells conflicts and takes by force', async () => {
      const text = (value: string) =>
        `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ssa"},"data":{"k":"${value}"}}`
      await good('apply --server-side --field-manager=one -f -', text('1'))
      const ran = await k('apply --server-side --field-manager=two -f -', text('2'))
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, /conflict with "one": .data.k/)
      await good('apply --server-side --field-manager=two --force-conflicts -f -', text('2'))
      const managed = await good('get configmap ssa -o jsonpath={.metadata.managedFields[*].manager}')
      assert.equal(managed, 'two')
    })

    test('a watch shows what happens', async () => {
      const env = { ...process.env, KUBECONFIG: api.kubeconfig, HOME: api.folder }
      const child = spawn(kubectl, ['get', 'configmap', '-w', '-l', 'seen=yes', '-o', 'name'], { env })
      let seen = ''
      child.stdout.on('data', (bytes: Buffer) => {
        seen += bytes.toString()
      })
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await good('create configmap seen')
      await good('label configmap seen seen=yes')
      for (let step = 0; step < 50 && !seen.includes('configmap/seen'); step += 1)
        await new Promise((resolve) => setTimeout(resolve, 100))
      child.kill('SIGTERM')
      await once(child, 'exit')
      assert.match(seen, /configmap\/seen/)
    })

    test('wait for a condition, a value and a deletion', async () => {
      await good('create configmap waited')
      const waiting = k('wait --for=delete configmap/waited --timeout=20s')
      const value = k('wait --for=jsonpath={.data.ready}=yes configmap/waited --timeout=20s')
      await new Promise((resolve) => setTimeout(resolve, 700))
      await good('patch configmap waited -p {"data":{"ready":"yes"}}')
      assert.equal((await value).code, 0, (await value).stderr)
      await good('delete configmap waited')
      assert.equal((await waiting).code, 0, (await waiting).stderr)
    })

    test('a definition and at once its object; explain, columns, defaults, limits', async () => {
      await good('apply -f -', DEFINITION)
      assert.match(await good('apply -f -', WIDGET), /w1 created/)
      await good('wait --for=condition=Established crd/widgets.example.com --timeout=10s')
      assert.match(await good('get wd'), /NAME +SIZE\nw1 +3/)
      assert.match(await good('explain widget.spec'), /size/)
      const ran = await k('patch widget w1 --type=merge -p {"spec":{"size":11}}')
      assert.match(ran.stderr, /should be less than or equal to 10/)
      await good('delete crd widgets.example.com --timeout=20s')
      assert.equal((await k('get wd')).code, 1)
    })

    test('explain, api-resources, version, raw paths', async () => {
      assert.match(await good('explain vm.spec.template.spec.domain'), /cpu/)
      assert.match(await good('explain pod.spec.containers'), /image/)
      assert.match(await good('api-resources -o name'), /virtualmachines.kubevirt.io/)
      assert.match(await good('version'), /Server Version: v1\.35/)
      assert.equal(await good('get --raw /readyz'), 'ok')
      assert.match(await good('get crd -o name'), /virtualmachines.kubevirt.io/)
    })

    test('a namespace goes with all that is in it', async () => {
      await good('create namespace gone')
      await good('create configmap inside -n gone')
      await good('delete namespace gone --timeout=20s')
      assert.equal((await k('get namespace gone')).code, 1)
      const kept = await k('delete namespace default')
      assert.match(kept.stderr, /this namespace may not be deleted/)
    })

    test('tokens of service accounts name their account', async () => {
      const token = (await good('create token default')).trim()
      const ran = await k(
        `auth whoami --token=${token} --kubeconfig=/dev/null --server=${api.url} --insecure-skip-tls-verify`,
      )
      assert.match(ran.stdout, /system:serviceaccount:default:default/, ran.stderr)
    })

    test('helm installs, upgrades and removes a chart', async () => {
      const chart = join(folder, 'chart')
      await mkdir(join(chart, 'templates'), { recursive: true })
      await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: small\nversion: 0.1.0\n')
      await writeFile(join(chart, 'values.yaml'), 'color: blue\n')
      await writeFile(
        join(chart, 'templates/all.yaml'),
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}-cm"}\ndata: {color: "{{ .Values.color }}"}\n',
      )
      const h = async (...argv: string[]) => {
        const ran = await runTool(api, helm, argv, { timeoutMs: 60_000 })
        assert.equal(ran.code, 0, `helm ${argv.join(' ')}: ${ran.stderr}`)
        return ran.stdout
      }
      await h('install', 'r1', chart, '--wait', '--timeout', '30s')
      await h('upgrade', 'r1', chart, '--set', 'color=green')
      assert.equal(await good('get configmap r1-cm -o jsonpath={.data.color}'), 'green')
      assert.match(await h('list'), /r1\s+default\s+2/)
      await h('uninstall', 'r1')
      assert.equal((await k('get configmap r1-cm')).code, 1)
    })
  })
}
