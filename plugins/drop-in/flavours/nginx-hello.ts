/** nginx-hello: nginx with a page about the server that answered. */
import { randomBytes } from 'node:crypto'
import type { Server } from '../request/call.ts'

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** As nginx's `$time_local`, in UTC. */
function localTime(now: Date): string {
  const [date, time] = now.toISOString().split('T') as [string, string]
  const [year, month, day] = date.split('-') as [string, string, string]
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time.slice(0, 8)} +0000`
}

export const NGINX_HELLO: Server = {
  name: 'nginx-hello',
  title: 'nginx-hello',
  summary: 'Address, name and time of the server',
  example: '/',
  mediaTypes: ['text/plain', 'text/html'],
  handle(call) {
    const now = new Date()
    const { raw } = call.reply
    raw.setHeader('Expires', new Date(now.getTime() - 1000).toUTCString())
    raw.setHeader('Cache-Control', 'no-cache')
    const lines = [
      `Server address: ${call.localAddress}`,
      `Server name: ${call.hostname}`,
      `Date: ${localTime(now)}`,
      `URI: ${call.target}`,
      `Request ID: ${randomBytes(16).toString('hex')}`,
    ]
    return call.send('text/plain', lines.map(line => `${line}\n`).join(''))
  },
}
