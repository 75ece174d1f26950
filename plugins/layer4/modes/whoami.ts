/** The mode `whoami`: Traefik's whoamitcp and whoamiudp. */
import type { ModeContext, ModeDefinition } from './mode.ts'

const TCP_READ = 256
const UDP_READ = 1024

export const whoami: ModeDefinition = {
  banner: 'Welcome',
  readBytes: TCP_READ,
  connection: context => ({
    data(bytes, { send, end }) {
      const word = wordOf(bytes)
      if (word === 'STOP') end()
      else send(word === 'WHO' ? namesOf(context) : received(bytes))
    },
  }),
  datagram(data, context) {
    const read = data.subarray(0, UDP_READ)
    return wordOf(read) === 'WHO' ? Buffer.from(namesOf(context)) : received(read)
  },
}

/** White space of Unicode in UTF-8, as Go's `strings.TrimSpace` sees it: with NEL, without the byte order mark. */
const WORD = /^(?:(?!\uFEFF)[\s\x85])*(WHO|STOP)(?:(?!\uFEFF)[\s\x85])*$/

function wordOf(bytes: Buffer): string | undefined {
  return WORD.exec(bytes.toString('utf8'))?.[1]
}

function received(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from('Received: '), bytes])
}

function namesOf({ options, instance }: ModeContext): string {
  const lines = [
    ...(options.text === undefined || options.text === '' ? [] : [`Name: ${options.text}`]),
    `Hostname: ${instance.hostname}`,
    ...instance.addresses().map(address => `IP: ${address}`),
  ]
  return `${lines.join('\n')}\n`
}
