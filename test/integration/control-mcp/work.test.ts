/** Tools of plugins for operations that start work: a task waits for its end. */
import t from 'tap'
import { pluginFolder } from '../../support/plugins.ts'
import { call, callTool, items, type Json } from '../../support/mcp.ts'
import { serve } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const JOBS = `import { definePlugin, describe } from 'svc/plugin'
const about = path => ({ category: 'Test', examples: [{ name: 'Jobs', path }] })
export default definePlugin({
  title: 'Jobs', paths: ['/_svc/jobs'],
  register(app, svc) {
    let looks = 0
    let endless = false
    let stopped = 0
    app.post('/_svc/jobs', describe({ summary: 'Start a job', ...about('/_svc/jobs'), parameters: [{ name: 'endless', in: 'query', schema: { type: 'boolean' } }] }), (request, reply) => {
      svc.http.guardAdmin(request)
      looks = 0
      endless = request.query.endless === 'true'
      return reply.code(202).send({ id: 'j1' })
    })
    app.get('/_svc/jobs/:id', describe({ summary: 'State of a job', ...about('/_svc/jobs/j1') }), request => ({ id: request.params.id, done: ++looks > (endless ? 1e6 : 1), looks, stopped }))
    app.delete('/_svc/jobs/:id', describe({ summary: 'Stop a job', examples: [{ name: 'Stop', method: 'DELETE', path: '/_svc/jobs/j1' }], category: 'Test' }), request => {
      svc.http.guardAdmin(request)
      return { stopped: ++stopped }
    })
    const tools = svc.use('control.tools')
    tools.tool({
      name: 'start_job',
      operation: { method: 'POST', path: '/_svc/jobs' },
      follow: ({ id, done }) => (done ? null : { method: 'GET', path: '/_svc/jobs/' + id }),
      stop: ({ id }) => ({ method: 'DELETE', path: '/_svc/jobs/' + id }),
    })
    tools.tool({ name: 'get_job', operation: { method: 'GET', path: '/_svc/jobs/{id}' } })
    tools.tool({ name: 'no_such_operation', operation: { method: 'GET', path: '/_svc/nothing' } })
    const refused = [
      { name: 'Bad-Name', operation: { method: 'GET', path: '/_svc/jobs' } },
      { name: 'get_job', operation: { method: 'GET', path: '/_svc/jobs' } },
      { name: 'half', operation: { method: 'GET', path: '/_svc/jobs' }, inputSchema: {} },
    ].map(tool => { try { tools.tool(tool); return 'accepted' } catch (error) { return error.message } })
    app.get('/_svc/jobs', describe({ summary: 'Refused tools', ...about('/_svc/jobs') }), () => refused)
  },
})`

t.test('a task ends with the work, and other clients get the first response', async t => {
  const { folder } = pluginFolder(t, { jobs: JOBS })
  const { url } = await serve(t, { folders: [folder], plugins: ['control-mcp', 'jobs'], env: { SVC_ADMIN_TOKEN: 's' } })
  const mcp = `${url}/_svc/mcp`
  const headers = { 'X-Svc-Admin-Token': 's' }
  const names = items((await call(mcp, 'tools/list')).answer.result?.tools).map(({ name }) => String(name))
  t.ok(names.includes('start_job') && names.includes('get_job'))
  t.notOk(names.includes('no_such_operation'))
  t.strictSame(await (await fetch(`${url}/_svc/jobs`)).json(), [
    'the tool "Bad-Name" must match ^[a-z][a-z0-9_]{0,63}$',
    'the tool "get_job" is registered twice',
    'the tool "half" needs both "inputSchema" and "request", or none of them',
  ])

  const plain = await callTool(mcp, 'start_job', {}, { headers })
  t.match(plain.answer.result?.structuredContent, { status: 202, body: { id: 'j1' } })
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const created = await callTool(mcp, 'start_job', {}, { headers, capabilities })
  t.match(created.answer.result, { resultType: 'task', status: 'working' })
  const taskId = created.answer.result?.taskId
  const task = await until(async () => {
    const { result } = (await call(mcp, 'tasks/get', { taskId }, { headers, capabilities })).answer
    return String(result?.status) === 'completed' ? (result as Json) : null
  })
  t.match(task, { result: { structuredContent: { status: 200, body: { done: true, looks: 2 } } } })
  const refused = await callTool(mcp, 'start_job', {}, { capabilities })
  t.match(refused.answer.result, { isError: true, structuredContent: { status: 401 } })

  const endless = (await callTool(mcp, 'start_job', { endless: true }, { headers, capabilities })).answer.result
  await call(mcp, 'tasks/cancel', { taskId: endless?.taskId }, { headers, capabilities })
  await until(async () => {
    const { result } = (await call(mcp, 'tasks/get', { taskId: endless?.taskId }, { headers, capabilities })).answer
    return String(result?.status) === 'cancelled'
  })
  const job = await callTool(mcp, 'get_job', { id: 'j1' }, { headers })
  t.match(job.answer.result, { structuredContent: { body: { done: false, stopped: 1 } } }, 'canceling stops the work')
})
