/** The chart in `deploy/helm/svc`: rendered by Helm, compared with golden files, and judged by the schemas of Kubernetes. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { parse, parseAllDocuments } from 'yaml'
import { findProgram, type Program, type Run } from './support/program.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const CHART = join(ROOT, 'deploy', 'helm', 'svc')
const SETS = join(ROOT, 'test', 'fixtures', 'helm')
const DEMO = ['demo', CHART]
const NAMES = ['default', 'exposed', 'replicas', 'autoscaled', 'gateway-api', 'plugins']
/** Go modules with the custom resources that the chart uses. */
const CUSTOM_RESOURCES = [
  { module: 'sigs.k8s.io/gateway-api@v1.5.0', folder: 'config/crd/standard' },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
  },
]

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- manifests of any kind
type Manifest = any

const helm = findProgram('helm', ['version', '--short'])
const validator = findProgram('kubectl-validate', ['--help'])
const go = findProgram('go', ['version'])
/** Why tests of the chart are skipped. */
const skip = typeof helm === 'string' ? helm : false
const skipValidation = [helm, validator, go].find(program => typeof program === 'string') ?? false

function folderOf(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-chart-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function runHelm(args: string[]): Promise<Run> {
  return (helm as Program).run(args, { cwd: ROOT })
}

/** `source` is the name of the release and the folder of the chart. */
function template(source: string[], ...args: string[]): Promise<Run> {
  return runHelm(['template', ...source, '--namespace', 'gateways', '--kube-version', '1.33.0', ...args])
}

async function render(source: string[], ...args: string[]): Promise<Manifest[]> {
  const { code, output } = await template(source, ...args)
  if (code !== 0) throw new Error(output)
  return parseAllDocuments(output)
    .map(document => document.toJS() as Manifest)
    .filter(manifest => manifest !== null)
}

const ofKind = (manifests: Manifest[], kind: string, name?: string): Manifest =>
  manifests.find(one => one.kind === kind && (name === undefined || one.metadata.name === name))
const valuesOf = (name: string): string[] => ['--values', join(SETS, `${name}.yaml`)]

t.test('each set of values is rendered as its golden file says [CHART-1]', { skip }, async t => {
  for (const name of NAMES) {
    const golden = join(SETS, `${name}.golden.yaml`)
    const { code, output } = await template(DEMO, ...valuesOf(name))
    t.equal(code, 0, output.slice(0, 500))
    if (process.env.SVC_WRITE_DOCS === '1') writeFileSync(golden, output)
    t.equal(output, readFileSync(golden, 'utf8'), `${name}: SVC_WRITE_DOCS=1 writes the golden files`)
  }
  t.match(await runHelm(['lint', CHART, '--strict']), { code: 0 })
})

t.test(
  'all kinds are valid by the schemas of Kubernetes and of the operators [CHART-1]',
  { skip: skipValidation },
  async t => {
    const folder = folderOf(t)
    const crds = CUSTOM_RESOURCES.map(({ module, folder: path }) => {
      const text = execFileSync((go as Program).path, ['mod', 'download', '-json', module], {
        encoding: 'utf8',
        cwd: folder,
      })
      return join((JSON.parse(text) as { Dir: string }).Dir, path)
    })
    for (const path of crds) t.ok(existsSync(path), path)
    const kinds = new Set<string>()
    for (const name of NAMES) {
      const manifests = join(folder, name)
      mkdirSync(manifests)
      // A file each: the validator takes a file as one set.
      for (const [index, manifest] of (await render(DEMO, ...valuesOf(name))).entries()) {
        kinds.add(manifest.kind)
        writeFileSync(join(manifests, `${index}.yaml`), JSON.stringify(manifest))
      }
      const { code, output } = await (validator as Program).run(
        ['--version', '1.30', ...crds.flatMap(path => ['--local-crds', path]), manifests],
        { cwd: folder },
      )
      t.equal(code, 0, `${name}: ${output.slice(0, 2000)}`)
    }
    t.strictSame([...kinds].sort(), [
      'ConfigMap',
      'Deployment',
      'GRPCRoute',
      'HTTPRoute',
      'HorizontalPodAutoscaler',
      'Ingress',
      'NetworkPolicy',
      'Pod',
      'PodDisruptionBudget',
      'Secret',
      'Service',
      'ServiceAccount',
      'ServiceMonitor',
      'StatefulSet',
      'TLSRoute',
    ])
    // The validator finds mistakes.
    writeFileSync(
      join(folder, 'wrong.yaml'),
      'apiVersion: v1\nkind: Service\nmetadata: { name: x }\nspec: { prots: [] }\n',
    )
    t.not(
      (await (validator as Program).run(['--version', '1.30', join(folder, 'wrong.yaml')], { cwd: folder })).code,
      0,
    )
  },
)

t.test('default values and deploy/kubernetes describe the same pod and service [CHART-2]', { skip }, async t => {
  const manifests = await render(DEMO)
  const plain = (file: string): Manifest => parse(readFileSync(join(ROOT, 'deploy', 'kubernetes', file), 'utf8'))
  const pod = ofKind(manifests, 'Deployment').spec.template.spec
  const other = plain('deployment.yaml').spec.template.spec
  const [container] = pod.containers
  const { image: _image, ...wanted } = other.containers[0]
  const { image, ...rest } = container
  t.equal(
    image,
    `svc-upstream/svc:${(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest).version}`,
  )
  t.strictSame(rest, wanted, 'container: variables, ports, probes, resources, security context, mounts')
  const named = JSON.parse(JSON.stringify(other.volumes).replace('"name":"svc"', '"name":"demo-svc"')) as unknown
  t.strictSame(pod.volumes, named)
  for (const key of ['securityContext', 'automountServiceAccountToken', 'terminationGracePeriodSeconds'])
    t.strictSame(pod[key], other[key], key)
  t.strictSame(ofKind(manifests, 'Service').spec.ports, plain('service.yaml').spec.ports)
})

t.test('values that contradict each other, and unknown ones, are named [CHART-3]', { skip }, async t => {
  const failures: [values: string, message: RegExp][] = [
    ['replicaCount=2', /several replicas need store\.url or store\.valkey\.enabled; set separateReplicas: true if/],
    ['autoscaling.enabled=true', /several replicas need store\.url/],
    ['publicMode=true', /publicMode needs adminToken\.value or adminToken\.existingSecret/],
    ['existingConfigMap=a,config.plugins.disable={soap}', /config and existingConfigMap are both set/],
    ['store.url=redis://a,store.valkey.enabled=true', /store\.url and store\.valkey\.enabled are both set/],
    ['adminToken.value=a,adminToken.existingSecret=b', /adminToken\.value and adminToken\.existingSecret/],
    ['env.SVC_LOG_FORMAT=text', /env\.SVC_LOG_FORMAT is set by the value logFormat/],
    ['env.FOO=1', /FOO/],
    ['replicas=2', /replicas/],
    ['image.tga=x', /tga/],
    ['replicaCount=two', /replicaCount/],
    ['service.ports.http=0', /http/],
    ['plugins.files.tide=a,plugins.configMaps={tide}', /plugins\.files\.tide/],
    ['autoscaling.enabled=true,separateReplicas=true,autoscaling.minReplicas=20', /autoscaling\.minReplicas/],
  ]
  for (const [values, message] of failures) {
    const { code, output } = await template(DEMO, '--set', values)
    t.not(code, 0, values)
    t.match(output, message, values)
  }
})

t.test('pods restart for variables and secrets, never for svc.yaml [CHART-4]', { skip }, async t => {
  const sumOf = async (...args: string[]): Promise<string> =>
    ofKind(await render(DEMO, ...args), 'Deployment').spec.template.metadata.annotations['checksum/env'] as string
  const before = await sumOf()
  t.equal(await sumOf('--set', 'config.plugins.disable={soap}'), before)
  t.not(await sumOf('--set', 'env.SVC_BODY_LIMIT=5'), before)
  const withToken = await sumOf('--set', 'adminToken.value=one')
  t.not(await sumOf('--set', 'adminToken.value=two'), withToken)
})

t.test('the state store has a generated password if there is no Secret [CHART-5]', { skip }, async t => {
  const values = ['--set', 'replicaCount=2,store.valkey.enabled=true']
  const [first, second] = [await render(DEMO, ...values), await render(DEMO, ...values)]
  const secret = ofKind(first, 'Secret', 'demo-svc-state')
  t.match(Buffer.from(secret.data.password as string, 'base64').toString(), /^[A-Za-z0-9]{32}$/)
  t.match(Buffer.from(secret.data.secret as string, 'base64').toString(), /^[A-Za-z0-9]{48}$/)
  t.not(ofKind(second, 'Secret', 'demo-svc-state').data.password, secret.data.password)
  const sum = (manifests: Manifest[]): string =>
    ofKind(manifests, 'Deployment').spec.template.metadata.annotations['checksum/env'] as string
  t.equal(sum(first), sum(second), 'an upgrade restarts no pod')
})

t.test('the notes name the addresses and what is unprotected [CHART-6]', { skip }, async t => {
  // Helm renders notes for a cluster only: a copy of the chart has them in a manifest.
  const chart = join(folderOf(t), 'svc')
  cpSync(CHART, chart, { recursive: true })
  const text = readFileSync(join(CHART, 'templates', 'NOTES.txt'), 'utf8')
  writeFileSync(
    join(chart, 'templates', 'shown.yaml'),
    `{{- define "shown" }}${text}{{ end }}\nkind: Shown\nmetadata: { name: notes }\ntext: {{ include "shown" . | toJson }}\n`,
  )
  const notes = async (...args: string[]): Promise<string> =>
    ofKind(await render(['demo', chart], ...args), 'Shown').text as string
  const plain = await notes()
  for (const address of [
    'http://demo-svc.gateways:8080',
    'https://demo-svc.gateways:8443',
    'grpc://demo-svc.gateways:50051',
  ])
    t.ok(plain.includes(address), address)
  t.match(plain, /WARNING: without adminToken/)
  t.match(await notes('--set', 'ingress.enabled=true'), /WARNING: the service is reachable from outside/)
  t.notMatch(await notes('--set', 'adminToken.existingSecret=a'), /WARNING/)
})
