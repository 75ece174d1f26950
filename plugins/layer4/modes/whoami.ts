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

/** A word alone in white space, as Go's `strings.TrimSpace` sees it: in UTF-8, with NEL and without the byte order mark. */
const SPACE = String.raw`[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*`
const WORD = new RegExp(`^${SPACE}(WHO|STOP)${SPACE}$`)

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
