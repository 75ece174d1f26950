/**
 * Tests the container files without a container engine: the contents of the image are assembled in a folder and started with
 * the image's commands, and the compose file and the manifests are checked against them.
 */
import t from 'tap'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Service } from 'kubernetes-models/v1/Service'
import { parseDocument } from 'yaml'
import { readEnvironment } from '../../support/environment.ts'
import type { Catalog } from '../../../core/contract/plugin.ts'
import { SHUTDOWN_TIMES } from '../../../core/server/shutdown.ts'
import { blocksOf, root } from '../../support/examples.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- configuration of other products, of any shape
function yamlOf(path: string): any {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true })
  if (document.errors.length > 0) throw document.errors[0]
  return document.toJS()
}

interface Instruction {
  name: string
  value: string
}

/** The last stage of the Dockerfile. */
function instructions(): Instruction[] {
  const lines = read('Dockerfile')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  const all = lines.map(line => ({ name: line.split(' ', 1)[0]!, value: line.slice(line.indexOf(' ') + 1).trim() }))
  return all.slice(all.findLastIndex(({ name }) => name === 'FROM'))
}
const valueOf = (wanted: string): string => instructions().find(({ name }) => name === wanted)!.value
const image = {
  ports: valueOf('EXPOSE').split(' ').map(Number),
  environment: Object.fromEntries(
    [...valueOf('ENV').matchAll(/(\w+)=(\S*)/g)].map(([, name, value]) => [name!, value!]),
  ),
  entrypoint: JSON.parse(valueOf('ENTRYPOINT')) as string[],
  healthCheck: JSON.parse(/CMD (\[.*\])$/.exec(valueOf('HEALTHCHECK'))![1]!) as string[],
}
const grace = (SHUTDOWN_TIMES.drain + SHUTDOWN_TIMES.cut + 2 * SHUTDOWN_TIMES.closing) / 1000

/** Builds what the last stage copies, with the packages of this checkout. */
function assemble(folder: string): void {
  const copies = instructions().filter(({ name }) => name === 'COPY')
  if (copies.length !== 1 || copies[0]!.value !== '--from=packages /svc /svc') throw new Error('expected one COPY')
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', 'packing/build.ts', '--out', join(folder, 'svc')],
    { cwd: root, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  symlinkSync(join(root, 'node_modules'), join(folder, 'svc', 'node_modules'))
}

t.test('the image is complete, and its commands start, check and stop the server [DOC-4]', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  assemble(folder)
  const data = join(folder, 'data')
  mkdirSync(data)
  const command = (parts: string[]): string[] =>
    parts.map(part => (part.startsWith('/svc') ? join(folder, part) : part))
  const environment = {
    ...image.environment,
    PATH: process.env.PATH,
    SVC_HOST: '127.0.0.1',
    SVC_HTTP_PORT: '0',
    SVC_HTTPS_PORT: '0',
    SVC_GRPC_PORT: '0',
    SVC_GIT_SHA: 'image',
  }
  const [program, ...args] = command(image.entrypoint)
  t.strictSame([program, ...args], ['node', '--max-semi-space-size=64', join(folder, 'svc/bin/svc.mjs')])
  const server = spawn(program!, args, { cwd: data, env: environment, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => server.kill('SIGKILL'))
  let output = ''
  server.stdout.on('data', chunk => {
    output += chunk
  })
  const port = await until(() => /HTTP listening on \S*:(\d+)/.exec(output)?.[1], 'the image listens')
  await until(() => output.includes('gRPC listening'), 'all listeners are open')
  const { counts } = (await (await fetch(`http://127.0.0.1:${port}/_svc/plugins`)).json()) as {
    counts: { failed: number; enabled: number }
  }
  t.equal(counts.failed, 0)
  t.equal(counts.enabled, readdirSync(join(root, 'plugins')).length)

  const check = (at: string): Promise<number> =>
    new Promise(resolve => {
      spawn(process.execPath, command(image.healthCheck).slice(1), {
        env: { ...environment, SVC_HTTP_PORT: at },
        stdio: 'ignore',
      }).on('close', code => resolve(code!))
    })
  t.equal(await check(port), 0, 'healthy')
  const exited = new Promise(resolve => server.on('exit', resolve))
  server.kill(valueOf('STOPSIGNAL') as NodeJS.Signals)
  t.equal(await exited, 0, 'stops on its signal')
  t.equal(await check(port), 1, 'unhealthy when the server has stopped')
})

t.test('the image runs without root, on unprivileged ports, and installs no development packages [DOC-4]', async t => {
  t.equal(valueOf('USER'), '1000:1000', 'a number, which Kubernetes can check')
  t.strictSame(
    [...valueOf('LABEL').matchAll(/org\.opencontainers\.image\.(\w+)=/g)].map(([, name]) => name),
    ['title', 'description', 'licenses', 'source', 'documentation', 'version', 'revision', 'created'],
  )
  const order = instructions().map(({ name }) => name)
  t.ok(order.lastIndexOf('RUN') < order.indexOf('USER'), 'no RUN instruction uses that user')
  t.strictSame(image.ports, [8080, 8443, 50051])
  for (const [index, name] of ['SVC_HTTP_PORT', 'SVC_HTTPS_PORT', 'SVC_GRPC_PORT'].entries())
    t.equal(Number(image.environment[name]), image.ports[index], name)
  t.match(read('Dockerfile'), 'RUN npm ci ')
  const major = Number(/^FROM node:(\d+)/m.exec(read('Dockerfile'))![1])
  t.ok(
    major >=
      Number(/>=(\d+)/.exec((JSON.parse(read('package.json')) as { engines: { node: string } }).engines.node)![1]),
    'a Node that the package supports',
  )
})

t.test('the build context contains the copied files and nothing else [DOC-4]', async t => {
  const rules = read('.dockerignore')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, from]) => from!.split(' '))
  t.ok(copied.length > 4)
  for (const path of copied) {
    t.ok(existsSync(join(root, path)), path)
    t.notOk(isIgnored(rules, path), `${path} is included`)
  }
  for (const path of [
    'node_modules',
    '.git',
    'test/run.ts',
    'docs/README.md',
    'certs/ca.key',
    'svc.yaml',
    'plugins/mine/node_modules/x.js',
    'plugins/x.log',
  ])
    t.ok(isIgnored(rules, path), `${path} is excluded`)
})

/** As container engines do: the last pattern that matches the path or one of its parents decides. */
function isIgnored(rules: string[], path: string): boolean {
  const parts = path.split('/')
  const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  const last = rules.findLast(rule => {
    const pattern = rule
      .replace(/^!/, '')
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\*\*\/|\*/g, found => (found === '*' ? '[^/]*' : '(?:.*/)?'))
    return places.some(place => new RegExp(`^${pattern}$`).test(place))
  })
  return last !== undefined && !last.startsWith('!')
}

/** What each service of the compose files may have. */
const COMPOSE_KEYS = [
  'build',
  'image',
  'profiles',
  'command',
  'environment',
  'deploy',
  'ports',
  'volumes',
  'user',
  'read_only',
  'tmpfs',
  'cap_drop',
  'security_opt',
  'healthcheck',
  'stop_grace_period',
  'depends_on',
]
const COMPOSE_FILES = ['compose.yaml', ...['kong', 'replicas', 'demo'].map(name => `deploy/compose/${name}.yaml`)]

t.test('compose files have the keys that exist, fixed versions and few rights [DOC-5]', async t => {
  const present = readdirSync(join(root, 'deploy/compose')).filter(name => name.endsWith('.yaml'))
  t.strictSame(present.map(name => `deploy/compose/${name}`).sort(), COMPOSE_FILES.slice(1).sort())
  for (const file of COMPOSE_FILES) {
    const { services, volumes = {}, ...others } = yamlOf(file)
    t.strictSame(Object.keys(others), [], `${file}: no other key, such as version`)
    const home = join(root, dirname(file))
    for (const [name, service] of Object.entries<Record<string, any>>(services)) {
      // eslint-disable-line @typescript-eslint/no-explicit-any
      const at = `${file}: ${name}`
      t.strictSame(
        Object.keys(service).filter(key => !COMPOSE_KEYS.includes(key)),
        [],
        at,
      )
      const isOwn = service.image === 'svc'
      if (service.build !== undefined) t.equal(resolve(home, service.build as string), resolve(root), at)
      if (!isOwn) t.match(service.image, /:\d+(\.\d+)*$/, `${at}: a fixed version`)
      // Kong's image needs to write and has capabilities of its own.
      if (name !== 'kong')
        t.match(service, { read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] }, at)
      if (isOwn && service.profiles === undefined) {
        t.strictSame(service.healthcheck.test, ['CMD', ...image.healthCheck], at)
        t.ok(Number.parseInt(service.stop_grace_period as string, 10) >= grace, at)
      }
      for (const volume of (service.volumes ?? []) as string[]) {
        const [source] = volume.split(':') as [string]
        t.ok(source.startsWith('.') ? existsSync(join(home, source)) : source in volumes, `${at}: ${source}`)
      }
      for (const needed of Object.keys(service.depends_on ?? {})) t.ok(needed in services, `${at}: ${needed}`)
      if (isOwn) t.strictSame(readEnvironment((service.environment ?? {}) as Record<string, string>).warnings, [], at)
    }
  }
})

t.test('compose.yaml starts svc alone, and the demo file runs demos through nginx [DOC-5]', async t => {
  const { services } = yamlOf('compose.yaml')
  t.strictSame(Object.keys(services), ['svc'])
  t.strictSame(
    services.svc.ports.map((pair: string) => Number(pair.split(':')[1])),
    image.ports,
  )
  const { demo, nginx } = yamlOf('deploy/compose/demo.yaml').services
  const words = demo.command as string[]
  t.strictSame(words.slice(0, 2), ['demo', 'run'])
  const names = words.slice(2, words.indexOf('--through'))
  for (const name of names) t.ok(existsSync(join(root, `plugins/demos/demos/${name}.yaml`)), name)
  const conf = read('deploy/compose/nginx-demo.conf')
  for (const name of names) t.match(conf.split('\n', 1)[0], name, 'the configuration is for these demos')
  t.equal(words[words.indexOf('--through') + 1], `http://nginx:${nginx.ports[0].split(':')[1]}`)
  t.match(conf, new RegExp(`listen ${nginx.ports[0].split(':')[1]};`))
  t.match(conf, `server svc:${image.ports[0]} `)
})

t.test('compose puts Kong in front, with the configuration of the recipe [DOC-5]', async t => {
  const { services, volumes } = yamlOf('deploy/compose/kong.yaml')
  t.strictSame(
    services.svc.ports.map((pair: string) => Number(pair.split(':')[1])),
    image.ports,
  )
  t.ok(Number.parseInt(services.svc.stop_grace_period, 10) >= grace)
  for (const volume of services.svc.volumes) t.ok(volume.split(':')[0] in volumes, volume)
  t.equal(services.kong.environment.KONG_DECLARATIVE_CONFIG, services.kong.volumes[0].split(':')[1])
  t.strictSame(services.kong.depends_on, { svc: { condition: 'service_healthy' } })
  t.equal(
    read('deploy/kong.yaml'),
    blocksOf(read('docs/gateways/kong.md')).find(({ text }) => text.startsWith('# kong.yaml'))!.text,
    'the recipe shows the file',
  )
  t.strictSame(readEnvironment(services.svc.environment).warnings, [])
})

t.test('the manifests are valid against the Kubernetes schemas [DOC-6]', async t => {
  for (const [Model, name] of [
    [Deployment, 'deployment'],
    [Service, 'service'],
    [ConfigMap, 'configmap'],
  ] as const) {
    const manifest = yamlOf(`deploy/kubernetes/${name}.yaml`)
    const model = new Model(manifest)
    t.strictSame([manifest.apiVersion, manifest.kind], [model.apiVersion, model.kind])
    model.validate()
  }
  t.throws(() => new Service({ spec: { ports: [{ port: 'x' as never }] } }).validate())
})

t.test('three replicas share a store, in Kubernetes and with compose [DOC-6]', async t => {
  const folder = 'deploy/kubernetes/replicas'
  for (const [Model, name] of [
    [HorizontalPodAutoscaler, 'autoscaler'],
    [PodDisruptionBudget, 'disruption-budget'],
    [NetworkPolicy, 'network-policy'],
    [StatefulSet, 'valkey'],
    [Service, 'valkey-service'],
  ] as const) {
    const manifest = yamlOf(`${folder}/${name}.yaml`)
    const model = new Model(manifest)
    t.strictSame([manifest.apiVersion, manifest.kind], [model.apiVersion, model.kind])
    model.validate()
  }
  const { resources, patches } = yamlOf(`${folder}/kustomization.yaml`)
  t.strictSame(
    [...resources, ...patches.map(({ path }: { path: string }) => path), 'kustomization.yaml'].sort(),
    ['..', ...readdirSync(join(root, folder))].sort(),
  )
  const patch = yamlOf(`${folder}/deployment-patch.yaml`)
  t.equal(patch.spec.replicas, 3)
  const [container] = patch.spec.template.spec.containers
  const variables = Object.fromEntries(
    container.env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? 'x'.repeat(32)]),
  )
  t.strictSame(readEnvironment(variables).warnings, [])
  const { metadata, spec } = yamlOf(`${folder}/valkey-service.yaml`)
  t.equal(variables.SVC_STATE_STORE, `redis://${metadata.name}:${spec.ports[0].port}`)
  t.match(yamlOf(`${folder}/valkey.yaml`).spec.template.spec.containers[0].args[0], /--maxmemory-policy noeviction/)

  const { services } = yamlOf('deploy/compose/replicas.yaml')
  t.equal(services.svc.deploy.replicas, 3)
  t.notOk(services.svc.ports, 'only the balancer is reached from outside')
  t.strictSame(readEnvironment(services.svc.environment).warnings, [])
})

t.test('the manifests agree with the image and with each other [DOC-6]', async t => {
  const folder = 'deploy/kubernetes'
  const { resources } = yamlOf(`${folder}/kustomization.yaml`)
  t.strictSame([...resources, 'kustomization.yaml', 'replicas'].sort(), readdirSync(join(root, folder)).sort())
  const { spec } = yamlOf(`${folder}/deployment.yaml`)
  const pod = spec.template.spec
  const [container] = pod.containers
  t.strictSame(
    container.ports.map(({ containerPort }: { containerPort: number }) => containerPort),
    image.ports,
  )
  t.ok(pod.terminationGracePeriodSeconds >= grace)
  t.match(pod.securityContext, { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } })
  t.match(container.securityContext, {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  })
  t.ok(container.resources.requests.memory && container.resources.limits.memory)
  const mounted = container.volumeMounts.map(({ name }: { name: string }) => name)
  t.strictSame(mounted.sort(), pod.volumes.map(({ name }: { name: string }) => name).sort())
  t.ok(
    ['/data', '/tmp'].every(path =>
      container.volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === path),
    ),
    'writable folders are mounted',
  )

  const service = yamlOf(`${folder}/service.yaml`).spec
  t.strictSame(service.selector, spec.template.metadata.labels)
  t.strictSame(spec.selector.matchLabels, spec.template.metadata.labels)
  const portNames = container.ports.map(({ name }: { name: string }) => name)
  for (const { name, port, targetPort } of service.ports) {
    t.ok(portNames.includes(targetPort), name)
    t.ok(image.ports.includes(port), name)
  }
  const config = yamlOf(`${folder}/configmap.yaml`)
  t.equal(config.metadata.name, pod.volumes.find(({ name }: { name: string }) => name === 'config').configMap.name)

  const server = await serve(t, { yaml: config.data['svc.yaml'] })
  t.strictSame((await server.host.reload()).load_errors, [])
  const { endpoints } = (await (await fetch(`${server.url}/_svc/catalog`)).json()) as Catalog
  for (const kind of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const { path, port } = container[kind].httpGet
    t.ok(
      endpoints.some(endpoint => endpoint.path === path && endpoint.methods.includes('GET')),
      `${kind}: ${path}`,
    )
    t.equal((await fetch(server.url + path)).status, 200, kind)
    t.ok(portNames.includes(port), kind)
  }
  const environment = Object.fromEntries(
    container.env
      .filter(({ value }: { value?: string }) => value !== undefined)
      .map(({ name, value }: { name: string; value: string }) => [name, value]),
  )
  t.strictSame(readEnvironment(environment).warnings, [])
})
