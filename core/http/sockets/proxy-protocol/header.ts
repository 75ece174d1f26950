/** Reads the header of the PROXY protocol, versions 1 and 2, from the first bytes of a connection or of a datagram. */
import ipaddr from 'ipaddr.js'
import { isIPv4, isIPv6 } from 'node:net'
import type { ProxyEndpoint, ProxyHeader } from '../../../contract/proxy-header.ts'
import { crc32c } from './crc32c.ts'
import { CRC32C, type RawTlv, showTlvs, splitTlvs } from './tlvs.ts'

const PREFIX = Buffer.from('PROXY ')
const MAX_LINE = 107
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')
const FIXED = 16
const MAX_LENGTH = 4096
const UNIX_PATH = 108
/** Bytes of a header of any version. */
export const MAX_PROXY_HEADER = FIXED + MAX_LENGTH

/** A header without what only the connection tells. */
export type ParsedHeader = Omit<ProxyHeader, 'trusted'>

/** What is known after some bytes. `none`: they are no header. `length`: bytes of the header. */
export type ProxyHeaderState =
  | { state: 'more' }
  | { state: 'none' }
  | { state: 'broken'; error: string }
  | { state: 'found'; header: ParsedHeader; length: number }

/** Looks for a header in the bytes received so far. Never throws. */
export function findProxyHeader(bytes: Buffer): ProxyHeaderState {
  if (startsAlike(bytes, SIGNATURE)) return bytes.length < FIXED ? { state: 'more' } : readBinary(bytes)
  if (startsAlike(bytes, PREFIX)) return bytes.length < PREFIX.length ? { state: 'more' } : readLine(bytes)
  return { state: 'none' }
}

/** Whether a header without addresses of a client was sent, or the peer itself is meant: the peer is the client then. */
export function sourceOf(header: ProxyHeader | null): string | null {
  if (header === null || !header.trusted || header.command === 'LOCAL' || header.source?.port == null) return null
  return ipaddr.process(header.source.address).toString()
}

/** Whether the bytes begin as `start` does, as far as there are any. */
function startsAlike(bytes: Buffer, start: Buffer): boolean {
  const compared = Math.min(bytes.length, start.length)
  return bytes.subarray(0, compared).equals(start.subarray(0, compared))
}

function broken(error: string): ProxyHeaderState {
  return { state: 'broken', error }
}

// ---------- Version 1

function readLine(bytes: Buffer): ProxyHeaderState {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n')
  if (end === -1)
    return bytes.length < MAX_LINE ? { state: 'more' } : broken(`the line has more than ${MAX_LINE} bytes`)
  const words = bytes.toString('latin1', PREFIX.length, end).split(' ')
  const [family] = words
  const length = end + 2
  if (family === 'UNKNOWN') return { state: 'found', header: lineHeader('UNKNOWN', null, null), length }
  if (family !== 'TCP4' && family !== 'TCP6') return broken('the family is not TCP4, TCP6 or UNKNOWN')
  if (words.length !== 5) return broken('expected two addresses and two ports')
  const [, source, destination, sourcePort, destinationPort] = words as [string, string, string, string, string]
  const isAddress = family === 'TCP4' ? isIPv4 : (text: string): boolean => isIPv6(text) && !text.includes('%')
  for (const address of [source, destination])
    if (!isAddress(address)) return broken(`an address is not of the family ${family}`)
  for (const port of [sourcePort, destinationPort])
    if (!/^(?:0|[1-9]\d{0,4})$/.test(port) || Number(port) > 65_535) return broken('a port is not from 0 to 65535')
  const endpoint = (address: string, port: string): ProxyEndpoint => ({
    address: ipaddr.parse(address).toString(),
    port: Number(port),
  })
  return {
    state: 'found',
    header: lineHeader(family, endpoint(source, sourcePort), endpoint(destination, destinationPort)),
    length,
  }
}

function lineHeader(
  transport: ProxyHeader['transport'],
  source: ProxyEndpoint | null,
  destination: ProxyEndpoint | null,
): ParsedHeader {
  return { version: 1, command: null, transport, source, destination, tlvs: [] }
}

// ---------- Version 2

const COMMANDS = ['LOCAL', 'PROXY'] as const
type Family = 'UNSPEC' | 'INET' | 'INET6' | 'UNIX'
const FAMILIES: readonly Family[] = ['UNSPEC', 'INET', 'INET6', 'UNIX']
const ADDRESS_BYTES: Record<Family, number> = { UNSPEC: 0, INET: 12, INET6: 36, UNIX: 2 * UNIX_PATH }
const TRANSPORTS: Record<Family, readonly ProxyHeader['transport'][]> = {
  UNSPEC: ['UNSPEC', 'UNSPEC', 'UNSPEC'],
  INET: ['UNSPEC', 'TCP4', 'UDP4'],
  INET6: ['UNSPEC', 'TCP6', 'UDP6'],
  UNIX: ['UNSPEC', 'UNIX', 'UNIX_DGRAM'],
}

function readBinary(bytes: Buffer): ProxyHeaderState {
  const versionAndCommand = bytes[12]!
  if (versionAndCommand >> 4 !== 2) return broken('the version is not 2')
  const command = COMMANDS[versionAndCommand & 15]
  if (command === undefined) return broken('the command is not LOCAL or PROXY')
  const family = FAMILIES[bytes[13]! >> 4]
  const transport = family && TRANSPORTS[family][bytes[13]! & 15]
  if (transport === undefined) return broken('the family or the transport is unknown')
  const size = bytes.readUInt16BE(14)
  if (size > MAX_LENGTH) return broken(`the header has more than ${MAX_LENGTH} bytes`)
  const length = FIXED + size
  if (bytes.length < length) return { state: 'more' }
  const block = bytes.subarray(FIXED, length)
  const addressBytes = ADDRESS_BYTES[family!]
  if (block.length < addressBytes) {
    // What a health check of the load balancer says about addresses does not count.
    if (command !== 'LOCAL') return broken('the addresses are too short')
    return { state: 'found', header: localHeader([]), length }
  }
  const tlvs = splitTlvs(block.subarray(addressBytes))
  if (tlvs === null) return broken('a TLV runs over the end')
  const checksum = tlvs.find(({ type }) => type === CRC32C)
  if (checksum !== undefined && !isChecksumRight(bytes.subarray(0, length), checksum, FIXED + addressBytes))
    return broken('the checksum is wrong')
  const shown = showTlvs(tlvs)
  if (shown === null) return broken('the TLV about TLS is malformed')
  if (command === 'LOCAL') return { state: 'found', header: localHeader(shown), length }
  const [source, destination] = transport === 'UNSPEC' ? [null, null] : readEndpoints(block, family!)
  return { state: 'found', header: { version: 2, command, transport, source, destination, tlvs: shown }, length }
}

function localHeader(tlvs: ProxyHeader['tlvs']): ParsedHeader {
  return { version: 2, command: 'LOCAL', transport: 'UNSPEC', source: null, destination: null, tlvs }
}

function readEndpoints(block: Buffer, family: Family): [ProxyEndpoint, ProxyEndpoint] {
  if (family === 'UNIX') {
    const path = (from: number): ProxyEndpoint => {
      const bytes = block.subarray(from, from + UNIX_PATH)
      const end = bytes.indexOf(0)
      return { address: bytes.toString('utf8', 0, end === -1 ? UNIX_PATH : end), port: null }
    }
    return [path(0), path(UNIX_PATH)]
  }
  const size = family === 'INET' ? 4 : 16
  const address = (from: number): string => ipaddr.fromByteArray([...block.subarray(from, from + size)]).toString()
  return [
    { address: address(0), port: block.readUInt16BE(2 * size) },
    { address: address(size), port: block.readUInt16BE(2 * size + 2) },
  ]
}

/** The checksum is that of the whole header with zeros in its place. */
function isChecksumRight(header: Buffer, { value, offset }: RawTlv, tlvsAt: number): boolean {
  if (value.length !== 4) return false
  const copy = Buffer.from(header)
  copy.fill(0, tlvsAt + offset, tlvsAt + offset + 4)
  return crc32c(copy) === value.readUInt32BE(0)
}
