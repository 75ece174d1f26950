/** Where `ForwardEcho` may connect: names, addresses and ranges. */
import { status } from '@grpc/grpc-js'
import t from 'tap'
import { destinationOf, type DestinationRules } from '../../../plugins/grpc-services/forward/destination.ts'
import { readTarget } from '../../../plugins/grpc-services/forward/plan.ts'
import type { ListenerStatus } from '../../../core/contract/plugin.ts'

const LISTENERS = [
  { name: 'http', kind: 'http', plugin: null, address: '0.0.0.0', port: 8080 },
  { name: 'https', kind: 'https', plugin: null, address: '0.0.0.0', port: 8443 },
  { name: 'echo', kind: 'tcp', plugin: 'layer4', address: '0.0.0.0', port: 9000 },
  { name: 'off', kind: 'udp', plugin: 'layer4', address: '0.0.0.0', port: null },
] as ListenerStatus[]

function rulesOf(addresses: Record<string, string[]> = {}, more: Partial<DestinationRules> = {}) {
  const asked: string[] = []
  const rules: DestinationRules = {
    allow: [
      'name.test:80',
      '*.mesh.test:8080',
      '10.0.0.0/8:80',
      '[2001:db8::]/32:80',
      '192.0.2.7:443',
      'localhost:7000',
    ],
    ownOnly: false,
    basePath: '',
    listeners: () => LISTENERS,
    servedHosts: () => ['api.example', '*.azure.test', '*'],
    async lookUp(host) {
      asked.push(host)
      const address = addresses[host]?.shift()
      if (address === undefined) throw new Error('not found')
      return address
    },
    ...more,
  }
  return { rules, asked }
}

async function outcome(url: string, { rules }: ReturnType<typeof rulesOf>): Promise<unknown> {
  try {
    const { address, port } = await destinationOf(readTarget(url), null, rules)
    return `${address} ${port}`
  } catch (error) {
    return (error as { code?: number }).code
  }
}

t.test('a name is looked up once, and what it becomes later does not matter [GSV-35]', async t => {
  const looked = rulesOf({ 'name.test': ['192.0.2.1', '127.0.0.1'] })
  t.equal(await outcome('http://name.test/', looked), '192.0.2.1 80')
  t.same(looked.asked, ['name.test'])
  t.equal(await outcome('http://name.test/', looked), status.PERMISSION_DENIED, 'a name that becomes this machine')
})

t.test('names of the network do not lead to this machine or to links [GSV-35]', async t => {
  for (const address of [
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '::1',
    '::',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
  ])
    t.equal(await outcome('http://name.test/', rulesOf({ 'name.test': [address] })), status.PERMISSION_DENIED, address)
  t.equal(await outcome('http://name.test/', rulesOf({ 'name.test': ['10.1.1.1'] })), '10.1.1.1 80')
  t.equal(await outcome('http://name.test/', rulesOf()), status.UNKNOWN, 'no address')
  t.equal(
    await outcome('http://localhost:7000/', rulesOf({ localhost: ['127.0.0.1'] })),
    '127.0.0.1 7000',
    'but for its own names',
  )
})

t.test('entries are names, domains, addresses and ranges with a port [GSV-35]', async t => {
  const found = rulesOf({ 'a.mesh.test': ['192.0.2.2'], 'a.b.mesh.test': ['192.0.2.3'] })
  for (const [url, expected] of [
    ['http://a.mesh.test:8080/', '192.0.2.2 8080'],
    ['http://A.b.MESH.test:8080/', '192.0.2.3 8080'],
    ['http://mesh.test:8080/', status.PERMISSION_DENIED],
    ['http://xmesh.test:8080/', status.PERMISSION_DENIED],
    ['http://a.mesh.test:80/', status.PERMISSION_DENIED],
    ['http://10.255.0.1/', '10.255.0.1 80'],
    ['http://11.0.0.1/', status.PERMISSION_DENIED],
    ['http://10.0.0.1:81/', status.PERMISSION_DENIED],
    ['http://[2001:DB8:0::5]/', '2001:db8::5 80'],
    ['http://[2001:db9::5]/', status.PERMISSION_DENIED],
    ['https://192.0.2.7/', '192.0.2.7 443'],
    ['https://192.0.2.8/', status.PERMISSION_DENIED],
    ['http://other.test/', status.PERMISSION_DENIED],
  ] as const)
    t.equal(await outcome(url, found), expected, url)
  t.notOk(found.asked.includes('other.test'), 'names that nobody allows are not looked up')
})

t.test('ports and hosts of this instance, each for what it speaks [GSV-34, GSV-35]', async t => {
  const own = rulesOf({ localhost: ['127.0.0.1', '::1'] })
  for (const [url, expected] of [
    ['http://127.0.0.1:8080/echo', '127.0.0.1 8080'],
    ['http://localhost:8080/echo', '127.0.0.1 8080'],
    ['http://[::1]:8080/', '::1 8080'],
    ['tcp://127.0.0.1:9000', '127.0.0.1 9000'],
    ['tls://127.0.0.1:9000', '127.0.0.1 9000'],
    ['udp://127.0.0.1:9000', status.PERMISSION_DENIED],
    ['tcp://127.0.0.1:8080', status.PERMISSION_DENIED],
    ['http://127.0.0.1:8081/', status.PERMISSION_DENIED],
    ['http://192.0.2.1:8080/', status.PERMISSION_DENIED],
    ['https://api.example/v1', '127.0.0.1 8443'],
    ['http://a.azure.test/', '127.0.0.1 8080'],
    ['grpcs://api.example:443', '127.0.0.1 8443'],
    ['https://api.example/_svc/config', status.PERMISSION_DENIED],
    ['tcp://api.example:80', status.PERMISSION_DENIED],
    ['http://azure.test/', status.PERMISSION_DENIED],
  ] as const)
    t.equal(await outcome(url, own), expected, url)
  const alone = rulesOf({}, { ownOnly: true })
  t.equal(await outcome('http://10.0.0.1/', alone), status.PERMISSION_DENIED, 'public mode')
  t.equal(await outcome('http://127.0.0.1:8080/', alone), '127.0.0.1 8080')
})
