/** The header of the PROXY protocol: versions 1 and 2. */
import t from 'tap'
import { crc32c } from '../../../core/http/sockets/proxy-protocol/crc32c.ts'
import { findProxyHeader, sourceOf, type ParsedHeader } from '../../../core/http/sockets/proxy-protocol/header.ts'
import { createTrust } from '../../../core/http/sockets/proxy-protocol/policy.ts'
import { binaryHeader, tlv } from '../../support/proxy-headers.ts'

function found(bytes: Buffer): ParsedHeader {
  const state = findProxyHeader(bytes)
  if (state.state !== 'found') throw new Error(`${state.state}: ${'error' in state ? state.error : ''}`)
  return state.header
}

function errorOf(bytes: Buffer | string): string {
  const state = findProxyHeader(Buffer.from(bytes as string, 'latin1'))
  return state.state === 'broken' ? state.error : state.state
}

t.test('version 1 [PPR-1]', async t => {
  const line = 'PROXY TCP4 203.0.113.7 198.51.100.9 40111 443\r\n'
  t.strictSame(findProxyHeader(Buffer.from(`${line}GET /`)), {
    state: 'found',
    length: line.length,
    header: {
      version: 1,
      command: null,
      transport: 'TCP4',
      source: { address: '203.0.113.7', port: 40_111 },
      destination: { address: '198.51.100.9', port: 443 },
      tlvs: [],
    },
  })
  t.match(found(Buffer.from('PROXY TCP6 2001:DB8:0::1 ::1 0 65535\r\n')), {
    transport: 'TCP6',
    source: { address: '2001:db8::1', port: 0 },
    destination: { address: '::1', port: 65_535 },
  })
  const unknown = found(Buffer.from('PROXY UNKNOWN anything at all \x01\r\n'))
  t.match(unknown, { transport: 'UNKNOWN', source: null })
  t.equal(findProxyHeader(Buffer.from('PROXY UNKNOWN\r\n')).state, 'found')
  for (let length = 0; length < line.length; length++)
    t.equal(findProxyHeader(Buffer.from(line).subarray(0, length)).state, 'more', `after ${length} bytes`)
})

t.test('version 1 that is broken [PPR-1]', async t => {
  for (const rest of [
    'TCP4 203.0.113.7 198.51.100.9 40111',
    'TCP4 203.0.113.7 198.51.100.9 040111 443',
    'TCP4 203.0.113.7 198.51.100.9 65536 443',
    'TCP4 203.0.113.7 198.51.100.9 -1 443',
    'TCP4 203.0.113.7  198.51.100.9 1 443',
    'TCP4 203.0.113.07 198.51.100.9 1 443',
    'TCP4 2001:db8::1 2001:db8::2 1 2',
    'TCP6 203.0.113.7 198.51.100.9 1 2',
    'TCP6 fe80::1%eth0 fe80::2 1 2',
    'UDP4 203.0.113.7 198.51.100.9 1 2',
    'TCP4 203.0.113.7 198.51.100.9 1 2 ',
  ])
    t.equal(findProxyHeader(Buffer.from(`PROXY ${rest}\r\n`)).state, 'broken', rest)
  t.equal(errorOf(`PROXY UNKNOWN ${'x'.repeat(200)}`), 'the line has more than 107 bytes')
  t.equal(findProxyHeader(Buffer.from(`PROXY UNKNOWN ${'x'.repeat(91)}\r\n`)).state, 'found', '107 bytes')
  t.equal(findProxyHeader(Buffer.from(`PROXY UNKNOWN ${'x'.repeat(92)}\r\n`)).state, 'broken', '108 bytes')
  for (const other of ['GET / HTTP/1.1\r\n', 'PRI * HTTP/2.0', 'PROXYING', '\r\n\r\nX', '\x16\x03\x01'])
    t.equal(errorOf(other), 'none', JSON.stringify(other))
})

t.test('version 2: commands, families and addresses [PPR-1]', async t => {
  const v4 = Buffer.from([203, 0, 113, 7, 198, 51, 100, 9, 0x9c, 0xaf, 0x01, 0xbb])
  t.strictSame(found(binaryHeader({ family: 0x11, addresses: v4 })), {
    version: 2,
    command: 'PROXY',
    transport: 'TCP4',
    source: { address: '203.0.113.7', port: 40_111 },
    destination: { address: '198.51.100.9', port: 443 },
    tlvs: [],
  })
  t.equal(found(binaryHeader({ family: 0x12, addresses: v4 })).transport, 'UDP4')
  const v6 = Buffer.concat([
    Buffer.from('20010db8000000000000000000000001'.repeat(2), 'hex'),
    Buffer.from([0, 1, 0, 2]),
  ])
  t.match(found(binaryHeader({ family: 0x21, addresses: v6 })), {
    transport: 'TCP6',
    source: { address: '2001:db8::1', port: 1 },
    destination: { port: 2 },
  })
  const unix = Buffer.alloc(216)
  unix.write('/tmp/a.sock', 0)
  unix.write('/tmp/b.sock', 108)
  t.match(found(binaryHeader({ family: 0x31, addresses: unix })), {
    transport: 'UNIX',
    source: { address: '/tmp/a.sock', port: null },
    destination: { address: '/tmp/b.sock' },
  })
  t.match(found(binaryHeader({ family: 0, addresses: Buffer.alloc(0) })), { transport: 'UNSPEC', source: null })
  t.match(found(binaryHeader({ command: 0, family: 0, addresses: Buffer.alloc(0) })), {
    command: 'LOCAL',
    source: null,
  })
  t.match(found(binaryHeader({ command: 0, family: 0x11, addresses: v4 })), { command: 'LOCAL', source: null })
  const whole = binaryHeader({ family: 0x11, addresses: v4, tlvs: [tlv(0x05, 'req-81')] })
  for (let length = 0; length < whole.length; length++)
    t.equal(findProxyHeader(whole.subarray(0, length)).state, 'more', `after ${length} bytes`)
})

t.test('version 2: TLVs [PPR-1]', async t => {
  const ssl = Buffer.concat([
    Buffer.from([0b011, 0, 0, 0, 0]),
    tlv(0x21, 'TLSv1.3'),
    tlv(0x22, 'client'),
    tlv(0x23, 'TLS_AES_256_GCM_SHA384'),
    tlv(0x24, 'SHA256'),
    tlv(0x25, 'EC256'),
  ])
  const { tlvs } = found(
    binaryHeader({
      tlvs: [
        tlv(0x01, 'h2'),
        tlv(0x02, 'a.test'),
        tlv(0x04, '\0\0\0'),
        tlv(0x05, 'req-81'),
        tlv(0x20, ssl),
        tlv(0x30, 'blue'),
        tlv(0xe0, Buffer.from([1, 2])),
      ],
    }),
  )
  t.strictSame(tlvs, [
    { type: 1, name: 'alpn', value: 'h2' },
    { type: 2, name: 'authority', value: 'a.test' },
    { type: 5, name: 'unique_id', value: 'req-81' },
    {
      type: 0x20,
      name: 'ssl',
      value: {
        client: ['ssl', 'cert_conn'],
        verify: 0,
        version: 'TLSv1.3',
        cn: 'client',
        cipher: 'TLS_AES_256_GCM_SHA384',
        sig_alg: 'SHA256',
        key_alg: 'EC256',
      },
    },
    { type: 0x30, name: 'netns', value: 'blue' },
    { type: 0xe0, name: null, value_base64: 'AQI=' },
  ])
})

t.test('version 2: the checksum [PPR-1]', async t => {
  t.equal(crc32c(Buffer.from('123456789')), 0xe3069283, 'the check value of RFC 3720')
  const blank = binaryHeader({ tlvs: [tlv(0x03, Buffer.alloc(4))] })
  const right = Buffer.from(blank)
  right.writeUInt32BE(crc32c(blank), right.length - 4)
  t.match(found(right).tlvs, [{ type: 3, name: 'crc32c' }])
  right[20]! ^= 1
  t.equal(errorOf(right.toString('latin1')), 'the checksum is wrong')
  t.equal(errorOf(binaryHeader({ tlvs: [tlv(0x03, Buffer.alloc(3))] }).toString('latin1')), 'the checksum is wrong')
})

t.test('version 2 that is broken [PPR-1]', async t => {
  const cut = (bytes: Buffer, at: number, value: number): string => {
    const changed = Buffer.from(bytes)
    changed[at] = value
    return errorOf(changed.toString('latin1'))
  }
  const whole = binaryHeader({})
  t.match(cut(whole, 12, 0x31), /version/)
  t.match(cut(whole, 12, 0x22), /command/)
  t.match(cut(whole, 13, 0x41), /family/)
  t.match(cut(whole, 13, 0x13), /family/)
  t.match(cut(whole, 14, 0x20), /more than 4096/)
  t.match(errorOf(binaryHeader({ addresses: Buffer.alloc(11) }).toString('latin1')), /too short/)
  t.match(errorOf(binaryHeader({ tlvs: [Buffer.from([5, 0, 9, 1])] }).toString('latin1')), /runs over the end/)
  t.match(errorOf(binaryHeader({ tlvs: [Buffer.from([5, 0])] }).toString('latin1')), /runs over the end/)
  t.match(errorOf(binaryHeader({ tlvs: [tlv(0x20, 'abc')] }).toString('latin1')), /about TLS/)
})

t.test('whose address counts [PPR-1]', async t => {
  const header = { ...found(binaryHeader({})), trusted: true }
  t.equal(sourceOf(header), '203.0.113.7')
  t.equal(sourceOf({ ...header, trusted: false }), null)
  t.equal(sourceOf({ ...header, command: 'LOCAL' }), null)
  t.equal(sourceOf({ ...header, source: { address: '/tmp/x', port: null } }), null)
  t.equal(sourceOf({ ...header, source: { address: '::ffff:203.0.113.8', port: 1 } }), '203.0.113.8')
  t.equal(sourceOf(null), null)
})

t.test('who is believed [PPR-1]', async t => {
  t.equal(createTrust(null, false)('203.0.113.1'), true)
  t.equal(createTrust(null, true)('127.0.0.1'), false)
  const isTrusted = createTrust(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'], true)
  for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.1', '2001:db8::9']) t.ok(isTrusted(address), address)
  for (const address of ['11.0.0.1', '192.0.2.2', '2001:db9::1', '']) t.notOk(isTrusted(address), address)
})
