/** The page of the MCP server `apps` in a host: a sandboxed frame whose messages the host answers. */
import t from 'tap'
import { call, callTool, items, type Json } from '../support/mcp.ts'
import { openPage, skipWithoutBrowser, startBrowser } from './support/browser.ts'
import { serve } from '../support/server.ts'

t.test(
  'the page shows the result of the tool, and calls another tool through its host [MCPX-27]',
  { skip: skipWithoutBrowser },
  async t => {
    const { url } = await serve(t, { plugins: ['mcp-extensions'] })
    const apps = `${url}/mcp/servers/apps`
    const read = await call(apps, 'resources/read', { uri: 'ui://weather/view.html' })
    const html = String(items(read.answer.result?.contents)[0]?.text)
    const shown = (await callTool(apps, 'show_weather', { city: 'Utrecht' })).answer.result as Json

    const page = await openPage(await startBrowser(t))
    const called: string[] = []
    const requested: string[] = []
    page.on('request', request => requested.push(request.url()))
    await page.exposeFunction('callTool', async (name: string, args: Record<string, unknown>) => {
      called.push(name)
      return (await callTool(apps, name, args)).answer.result
    })
    await page.evaluate(
      ({ source, result }) => {
        const host = window as unknown as {
          callTool(name: string, args: object): Promise<unknown>
          post(message: object): void
          received: string[]
          size: { width: number; height: number } | null
        }
        host.received = []
        host.size = null
        const frame = document.createElement('iframe')
        frame.setAttribute('sandbox', 'allow-scripts')
        frame.srcdoc = source
        host.post = message => frame.contentWindow!.postMessage({ jsonrpc: '2.0', ...message }, '*')
        addEventListener('message', async ({ source: sender, data }) => {
          if (sender !== frame.contentWindow) return
          host.received.push(data.method)
          if (data.method === 'ui/initialize')
            host.post({
              id: data.id,
              result: {
                protocolVersion: data.params.protocolVersion,
                hostInfo: { name: 'test', version: '1' },
                hostCapabilities: {},
                hostContext: {},
              },
            })
          if (data.method === 'ui/notifications/initialized') {
            host.post({ method: 'ui/notifications/tool-input', params: { arguments: { city: 'Utrecht' } } })
            host.post({ method: 'ui/notifications/tool-result', params: result })
          }
          if (data.method === 'ui/notifications/size-changed') host.size = data.params
          if (data.method === 'tools/call')
            host.post({ id: data.id, result: await host.callTool(data.params.name, data.params.arguments) })
        })
        document.body.append(frame)
      },
      { source: html, result: shown },
    )

    const view = page.frameLocator('iframe')
    await view.locator('#refresh:enabled').waitFor()
    t.equal(await view.locator('#city').textContent(), 'Utrecht')
    t.match(await view.locator('#temperature').textContent(), /^-?\d+(?:\.\d+)? °C$/)
    await view.locator('#refresh').click()
    await view.locator('#refresh:enabled').waitFor()
    await page.waitForFunction(() => (window as unknown as { received: string[] }).received.includes('tools/call'))
    t.strictSame(called, ['refresh_weather'])
    const { received, size } = await page.evaluate(() => {
      const host = window as unknown as { received: string[]; size: { height: number } | null }
      return { received: host.received, size: host.size }
    })
    t.strictSame(received.slice(0, 3), [
      'ui/initialize',
      'ui/notifications/initialized',
      'ui/notifications/size-changed',
    ])
    t.ok(size !== null && size.height > 0)
    t.strictSame(
      requested.filter(address => !address.startsWith('about:')),
      [],
      'the page loads nothing',
    )
    t.strictSame(page.problems, [])
  },
)
