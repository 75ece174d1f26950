/**
 * Takes the picture of the console that the documentation shows, from a server with real requests:
 * `node --import tsx test/browser/images/take.ts [path of the browser]`
 */
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { startServer } from '../../../core/server/server.ts'
import { sendRequests } from './requests.ts'

/** Takes the picture with a browser, and returns the statuses of the requests. */
export async function takePicture(executablePath: string, path: string): Promise<number[]> {
  const server = await startServer({
    environment: {
      SVC_HOST: '127.0.0.1',
      SVC_HTTP_PORT: '0',
      SVC_HTTPS_PORT: '0',
      SVC_GRPC_PORT: '0',
      SVC_TRUST_FORWARD: 'true',
      SVC_INSTANCE_ID: 'booth-1',
      SVC_LOG_LEVEL: 'off',
      SVC_WATCH: 'false',
    },
  })
  const url = `http://127.0.0.1:${server.ports.http}`
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${url}/ui/#/traffic`)
    await page.locator('.feed-state', { hasText: 'live' }).waitFor()
    const statuses = await sendRequests(url)
    await page.getByText('/anything/payments').first().click()
    await page.getByRole('list', { name: 'Request flow' }).getByText('Via').waitFor()
    await page.waitForTimeout(300)
    await page.screenshot({ path })
    return statuses
  } finally {
    await browser.close()
    await server.stop()
  }
}

if (process.argv[1] === import.meta.filename)
  await takePicture(
    process.argv[2] ?? '/usr/bin/chromium',
    join(import.meta.dirname, '..', '..', '..', 'docs', 'images', 'console.png'),
  )
