/** HashiCorp's http-echo: one text for every request. */
import { cleanPath } from 'svc/toolkit'
import type { Server } from '../request/call.ts'

const HTML = /^\s*<(?:!doctype html|html|head|body|script|h1|div|p|a|table|title)[\s>]/i

export const HTTP_ECHO: Server = {
  name: 'http-echo',
  title: 'http-echo',
  summary: 'A fixed text',
  example: '/',
  mediaTypes: ['text/plain', 'text/html'],
  handle(call) {
    const clean = cleanPath(call.path)
    if (clean !== null) return call.redirect(clean + call.search, 301)
    call.reply.raw.setHeader('X-App-Name', 'http-echo')
    call.reply.raw.setHeader('X-App-Version', '1.0.0')
    if (call.path === '/health') return call.text('{"status":"ok"}\n')
    const { text = 'svc', status = 200 } = call.settings
    return call.send(`${HTML.test(text) ? 'text/html' : 'text/plain'}; charset=utf-8`, `${text}\n`, status)
  },
}
