/** `examples/drop-in/nginx.conf` as it is, in front of svc: in namespaces of its own, where api.openai.com is svc (sheet drop-in, 7.4). */
import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { root } from '../support/examples.ts'
import { findProgram } from './support/program.ts'

const nginx = findProgram('nginx', ['-v'])
const unshare = findProgram('unshare')
const skip = typeof nginx === 'string' ? nginx : typeof unshare === 'string' ? unshare : !canUnshare() && 'needs root'

function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--net', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Folders that packages of nginx expect are empty there; each program ends with the shell. */
const SCRIPT = `set -e
ip link set lo up
mount --bind hosts /etc/hosts
mount -t tmpfs none /var/log && mkdir -p /var/log/nginx
mount -t tmpfs none /var/lib && mkdir -p /var/lib/nginx
"$NODE" "$SVC" >svc.log 2>&1 &
svc=$!
trap 'kill $svc $nginx 2>/dev/null' EXIT
until curl -sf http://127.0.0.1:8080/health >/dev/null; do kill -0 $svc; sleep 0.2; done
curl -sf http://127.0.0.1:8080/tls/ca.pem >svc-ca.pem
"$NGINX" -p "$PWD" -c "$PWD/nginx.conf" -g 'daemon off; pid nginx.pid; error_log stderr;' 2>nginx.log &
nginx=$!
until curl -s http://127.0.0.1:8000/ >/dev/null; do kill -0 $nginx; sleep 0.2; done
curl -s -w '\\n%{http_code}\\n' http://127.0.0.1:8000/v1/chat/completions -H 'Authorization: Bearer sk-demo' \\
  -H 'Content-Type: application/json' -d '{"model":"svc-gpt","messages":[{"role":"user","content":"hi"}]}'
curl -s -o /dev/null -w '%{http_code}\\n' http://127.0.0.1:8000/v1/models
`

t.test('nginx proxies api.openai.com, and trusts the demo CA', { skip }, async t => {
  t.setTimeout(0)
  if (typeof nginx === 'string' || typeof unshare === 'string') return
  const folder = t.testdir({
    'svc.yaml': 'llm: { hosts: vendors }\n',
    hosts: '127.0.0.1 localhost api.openai.com\n',
    'run.sh': SCRIPT,
  })
  copyFileSync(join(root, 'examples', 'drop-in', 'nginx.conf'), join(folder, 'nginx.conf'))
  writeFileSync(join(folder, 'svc.log'), '')
  const { code, output } = await unshare.run(['--mount', '--net', 'bash', 'run.sh'], {
    cwd: folder,
    env: {
      NODE: process.execPath,
      NGINX: nginx.path,
      SVC: join(root, 'bin', 'svc.mjs'),
      SVC_HTTP_PORT: '8080',
      SVC_HTTPS_PORT: '443',
    },
  })
  t.equal(code, 0, output)
  const [answer, status, ofList] = output.split('\n')
  t.match(JSON.parse(answer!), { object: 'chat.completion', model: 'svc-gpt' })
  t.equal(status, '200')
  t.equal(ofList, '200')
})
