/** Fixed pages and documents. */
import { DENIED, MOBY_DICK, orderForm, ROBOTS, SLIDE_SHOW, SLIDE_SHOW_XML } from '../documents.ts'
import { textReply } from 'svc/toolkit'
import { SLIDES } from '../replies.ts'
import type { Call } from '../call.ts'
import type { Methods, Operation } from '../operation.ts'

const HTML = 'text/html; charset=utf-8'
const HTML_PAGE = textReply('text/html')
const PLAIN = textReply('text/plain')
const plain = (call: Call): string => (call.isGo ? 'text/plain; charset=utf-8' : 'text/plain')

const page = (
  path: string,
  summary: string,
  reply: Operation['reply'],
  handle: Operation['handle'],
  { atRoot = true, goMethods }: { atRoot?: boolean; goMethods?: Methods } = {},
): Operation => ({
  path,
  summary,
  reply,
  ...(goMethods === undefined ? {} : { methods: { 'go-httpbin': goMethods } }),
  ...(atRoot ? { atRoot } : {}),
  examples: [{ name: 'Document', path }],
  handle,
})

/** `utf8Page`: a page with text in many scripts; undefined without the plugin that has it. */
export function pages(utf8Page: Buffer | undefined): Operation[] {
  return [
    page('/html', 'An HTML page', HTML_PAGE, call => call.send(HTML, MOBY_DICK)),
    page('/xml', 'An XML document', textReply('application/xml'), call => call.send('application/xml', SLIDE_SHOW_XML)),
    page('/json', 'A JSON document', SLIDES, call => call.json(SLIDE_SHOW)),
    page('/robots.txt', 'Rules for crawlers', PLAIN, call => call.send(plain(call), ROBOTS)),
    page('/deny', 'A page that crawlers must not read', PLAIN, call =>
      call.send(plain(call), call.isGo ? "YOU SHOULDN'T BE HERE" : DENIED),
    ),
    page('/forms/post', 'An HTML form', HTML_PAGE, call => call.send(HTML, orderForm(call.path('/post'))), {
      goMethods: ['GET'],
    }),
    ...(utf8Page === undefined
      ? []
      : [
          page('/encoding/utf8', 'A page with text in many scripts', HTML_PAGE, call => call.send(HTML, utf8Page), {
            atRoot: false,
            goMethods: ['GET'],
          }),
        ]),
  ]
}
