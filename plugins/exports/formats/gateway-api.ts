/** Kubernetes Gateway API (gateway.networking.k8s.io/v1): an HTTPRoute per plugin, and this instance as a Service. */
import { isIP } from 'node:net'
import type { PluginRecord } from 'svc/plugin'
import type { Format, Selection } from '../format.ts'
import { listPrefixes, type Prefixes } from '../prefixes.ts'
import { writeYaml } from '../yaml.ts'

const SERVICE = 'svc'
/** Maximum number of rules per HTTPRoute. */
const MAX_RULES = 16

export function gatewayApi(plugins: () => PluginRecord[]): Format {
  return {
    id: 'gateway-api',
    title: 'Kubernetes Gateway API',
    description:
      'An HTTPRoute per plugin and a Service for this instance; the routes attach to a Gateway named "gateway".',
    file: 'gateway-api.yaml',
    mediaType: 'application/yaml',
    filename: 'svc-gateway-api.yaml',
    write: selection =>
      externalNote(new URL(selection.baseUrl)) +
      [
        ...backend(new URL(selection.baseUrl)),
        ...listPrefixes(selection, plugins()).flatMap(prefixes => toRoutes(prefixes, selection)),
      ]
        .map(manifest => writeYaml(manifest))
        .join('---\n'),
  }
}

/**
 * For a host name: that implementations may refuse the Service, with the one to use in a cluster. Gateway API advises against
 * `ExternalName`, because everybody who may create a route could reach every host (CVE-2021-25740).
 */
function externalNote(url: URL): string {
  if (isIP(hostOf(url)) !== 0) return ''
  const inCluster = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE },
    spec: { selector: { app: SERVICE }, ports: [portSpec(url)] },
  }
  return [
    'The Service is an ExternalName, which Gateway API advises against and some gateways refuse (CVE-2021-25740).',
    'If svc runs in the cluster, use this Service in its place, with the labels of its pods:',
    '',
    ...writeYaml(inCluster).trimEnd().split('\n'),
    '',
    'Otherwise export with the IP address as base_url, which needs no ExternalName.',
  ]
    .map(line => `# ${line}`.trimEnd() + '\n')
    .join('')
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '')
}

function portSpec(url: URL): object {
  return { name: 'http', port: portOf(url), ...(url.protocol === 'https:' ? { appProtocol: 'https' } : {}) }
}

/** A Service for a target outside the cluster: an external name, or an address with its own endpoints. */
function backend(url: URL): object[] {
  const host = hostOf(url)
  const version = isIP(host)
  const port = portSpec(url)
  const service = (spec: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: SERVICE },
    spec: { ...spec, ports: [port] },
  })
  if (version === 0) return [service({ type: 'ExternalName', externalName: host })]
  return [
    service({}),
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: SERVICE, labels: { 'kubernetes.io/service-name': SERVICE } },
      addressType: `IPv${version}`,
      ports: [port],
      endpoints: [{ addresses: [host] }],
    },
  ]
}

function toRoutes({ name, paths }: Prefixes, { baseUrl }: Selection): object[] {
  const url = new URL(baseUrl)
  const rules = paths.map(path => toRule(path, url))
  const routes: object[] = []
  for (let at = 0; at < rules.length; at += MAX_RULES) {
    routes.push({
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'HTTPRoute',
      metadata: { name: at === 0 ? name : `${name}-${at / MAX_RULES + 1}` },
      spec: { parentRefs: [{ name: 'gateway' }], rules: rules.slice(at, at + MAX_RULES) },
    })
  }
  return routes
}

/** With a base path the prefix is rewritten, which a rule supports for only one prefix. */
function toRule(path: string, url: URL): object {
  const base = url.pathname.replace(/\/$/, '')
  return {
    matches: [{ path: { type: 'PathPrefix', value: path } }],
    ...(base === ''
      ? {}
      : {
          filters: [
            {
              type: 'URLRewrite',
              urlRewrite: { path: { type: 'ReplacePrefixMatch', replacePrefixMatch: base + path } },
            },
          ],
        }),
    backendRefs: [{ name: SERVICE, port: portOf(url) }],
  }
}

function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
}
