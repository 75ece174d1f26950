/** The landing page, which lists all enabled endpoints by category, each with a curl command. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  describe,
  Pacer,
  type Catalog,
  type CatalogEndpoint,
  type FastifyInstance,
  type PageLink,
  type ServedHost,
  type Svc,
} from 'svc/plugin'
import { BoundedMap, curlLine, escapeHtml, isBelow } from 'svc/toolkit'
import { pageHeaders } from './page-headers.ts'

const ICON = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5fb0"/><path d="M4 5l4 6 4-6" stroke="#fff" stroke-width="2" fill="none"/></svg>')}`

/** The style sheet and the script of the page, which are part of it. */
export interface InlineAssets {
  style: string
  script: string
}

/** Reads the style sheet and the script. `folder` is the folder of the plugin. */
export function readInlineAssets(folder: string): InlineAssets {
  const read = (name: string): string => readFileSync(join(folder, 'assets', name), 'utf8')
  return { style: read('landing.css'), script: read('landing.js') }
}

/**
 * Allows nothing but the inline style sheet and script, by their hashes. A relative URL of a script would be one of another
 * session if the page is requested as `/s/{session}`, without a slash at the end.
 */
function contentSecurityPolicy({ style, script }: InlineAssets): string {
  return `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(style)}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`
}

/** A source expression of a Content Security Policy (CSP3, 2.3.1). */
function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** Registers `GET /`. It responds with 200 even if the instance is unhealthy. */
export function registerLanding(app: FastifyInstance, { config, folder, http, instance }: Svc): void {
  const assets = readInlineAssets(folder)
  const headers = pageHeaders(contentSecurityPolicy(assets))
  const pageFor = cachePages((baseUrl, hosts: readonly ServedHost[]) =>
    renderLanding({
      catalog: instance.catalog(),
      links: instance.links(),
      baseUrl,
      hosts,
      instanceId: instance.id,
      publicMode: config.publicMode,
      assets,
    }),
  )

  app.get(
    '/',
    describe({
      summary: 'This list of endpoints',
      category: 'Docs',
      ownPage: true,
      responses: {
        200: {
          description: 'The landing page. Also served while the instance is unhealthy.',
          content: { 'text/html': { type: 'string' } },
        },
      },
      examples: [{ name: 'Landing page', path: '/', expectStatus: 200 }],
    }),
    async (request, reply) =>
      reply.headers(headers).send(await pageFor(http.baseUrl(request), http.hosts(request, null))),
  )
}

/** Maximum number of cached pages. Clients can create any number of base URLs with the `Host` header. */
const MAX_PAGES = 16

/**
 * Returns a function that builds the page for a base URL and caches the last 16 pages as bytes. Building takes some time, so
 * pages for other base URLs are built one at a time, with pauses.
 */
export function cachePages<Facts extends unknown[]>(
  build: (baseUrl: string, ...facts: Facts) => string,
): (baseUrl: string, ...facts: Facts) => Buffer | Promise<Buffer> {
  const pages = new BoundedMap<Buffer>(MAX_PAGES)
  return (baseUrl, ...facts) => pages.get(baseUrl) ?? add(baseUrl, facts)

  async function add(baseUrl: string, facts: Facts): Promise<Buffer> {
    await new Pacer().pause()
    let page = pages.get(baseUrl)
    if (page === undefined) pages.set(baseUrl, (page = Buffer.from(build(baseUrl, ...facts))))
    return page
  }
}

export interface LandingFacts {
  catalog: Catalog
  /** Links of plugins. Those without an enabled target are not shown. */
  links: readonly PageLink[]
  baseUrl: string
  /** Hosts that plugins serve whole. */
  hosts?: readonly ServedHost[]
  instanceId: string
  publicMode: boolean
  assets: InlineAssets
}

/** Renders the landing page as HTML. Links are relative, so that they work with the path prefix of a gateway. */
export function renderLanding({
  catalog,
  links,
  baseUrl,
  hosts = [],
  instanceId,
  publicMode,
  assets,
}: LandingFacts): string {
  const sections = catalog.categories.map(({ name }, index) => ({
    id: `category-${index + 1}`,
    name,
    endpoints: catalog.endpoints.filter(endpoint => endpoint.category === name),
  }))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>svc</title>
<link rel="icon" href="${escapeHtml(ICON)}">
<style>${assets.style}</style>
</head>
<body>
<a class="skip" href="#endpoints">Skip to the endpoints</a>
<header>
<h1>svc</h1>
<p>A test upstream for gateway demos and tests, with deterministic responses, request capturing and fault injection.</p>
<section class="start" aria-labelledby="start-here">
<h2 id="start-here">Start here</h2>
<ul class="links">
${listLinks(catalog, links)
  .map(({ href, text }) => `<li><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></li>`)
  .join('\n')}
</ul>
${renderFirst(catalog, baseUrl)}${renderHosts(hosts)}</section>
<p id="search-bar" hidden>
<label for="search">Search the endpoints</label>
<input type="search" id="search" autocomplete="off" spellcheck="false" placeholder="Path, method or words">
<span id="search-result" role="status"></span>
</p>
</header>
<nav class="categories" aria-label="Categories">
<ul>
${sections.map(({ id, name, endpoints }) => `<li><a href="#${id}">${escapeHtml(name)}</a> <span>${endpoints.length}</span></li>`).join('\n')}
</ul>
</nav>
<main id="endpoints">
${sections
  .map(
    ({ id, name, endpoints }) => `<section aria-labelledby="${id}">
<details open>
<summary><h2 id="${id}">${escapeHtml(name)}</h2> <span>${endpoints.length}</span></summary>
<ul>
${endpoints.map(endpoint => renderEndpoint(endpoint, baseUrl)).join('\n')}
</ul>
</details>
</section>`,
  )
  .join('\n')}
</main>
<footer>
<p>svc ${escapeHtml(catalog.version)} · instance <code>${escapeHtml(instanceId)}</code>${publicMode ? ' · public mode' : ''}</p>
</footer>
<script>${assets.script}</script>
</body>
</html>
`
}

const OWN_LINKS: readonly PageLink[] = [
  { href: 'docs', text: 'API reference' },
  { href: 'openapi.json', text: 'OpenAPI document' },
  { href: '_svc/catalog', text: 'Catalog' },
]

/** Links of plugins with an enabled target, then the links that every instance has. */
function listLinks({ endpoints }: Catalog, links: readonly PageLink[]): PageLink[] {
  const isServed = ({ href }: PageLink): boolean =>
    endpoints.some(({ path }) => isBelow(path, `/${href}`.replace(/\/$/, '')))
  return [...links.filter(isServed), ...OWN_LINKS]
}

/** The command of the first example, to try at once. */
function renderFirst({ endpoints }: Catalog, baseUrl: string): string {
  const first = endpoints.find(({ protocol, examples }) => protocol === 'http' && examples.length > 0)
  if (first === undefined) return ''
  return `<p>Or send a first request:</p>
<pre><code>${escapeHtml(curlLine(first.examples[0]!, baseUrl, first.protocol))}</code></pre>
`
}

/** The hosts, each with a command. */
function renderHosts(hosts: readonly ServedHost[]): string {
  if (hosts.length === 0) return ''
  const lines = hosts.map(({ curl }) => escapeHtml(curl)).join('\n')
  return `<p>Whole hosts are served too:</p>
<pre><code>${lines}</code></pre>
`
}

function renderEndpoint({ path, methods, summary, protocol, examples }: CatalogEndpoint, baseUrl: string): string {
  const badge = protocol === 'http' ? '' : ` <span class="protocol">${protocol === 'sse' ? 'SSE' : 'WebSocket'}</span>`
  const example = examples[0]
  const command = example ? `\n<pre><code>${escapeHtml(curlLine(example, baseUrl, protocol))}</code></pre>` : ''
  return `<li>
<p class="route"><span class="methods">${escapeHtml(methods.join(' '))}</span> <code>${escapeHtml(path)}</code>${badge}</p>
<p>${escapeHtml(summary)}</p>${command}
</li>`
}
