/** Rules for listeners of plugins, the PROXY protocol, and layer 4. */
export default [
  {
    id: 'LSN-1',
    rule: 'listeners of plugins are counted, listed and printed; reloads refuse no connection and leave open ones their settings',
    where: 'drop-in 2',
  },
  {
    id: 'LSN-2',
    rule: 'TLS has a certificate for the name of the client, and shows what was negotiated and the client certificate',
    where: 'drop-in 2, 4.2',
  },
  {
    id: 'LSN-3',
    rule: 'wrong settings are load errors with their place, wrong input closes that connection alone or is named',
    where: 'drop-in 11',
  },
  {
    id: 'PPR-1',
    rule: 'headers of the PROXY protocol are read, checked, believed and shown as the mode and SVC_PROXY_PROTOCOL_FROM say',
    where: 'drop-in 3',
  },
  { id: 'L4-1', rule: 'the modes answer as svc or the originals do, over TCP and UDP', where: 'drop-in 4.1' },
  {
    id: 'L4-2',
    rule: 'a first line steers a connection or datagram, and the control plane sets faults until the next reload',
    where: 'drop-in 4.3',
  },
  {
    id: 'L4-3',
    rule: 'connections are listed, awaited, followed, verified and deleted by the control plane',
    where: 'drop-in 4.4',
  },
  { id: 'L4-4', rule: 'faults, ends and times of connections', where: 'drop-in 4' },
  { id: 'L4-5', rule: 'connections and what is kept of them are bounded', where: 'drop-in 10' },
  {
    id: 'L4-6',
    rule: 'connections are listed, verified and removed at any replica',
    where: 'drop-in 4.4',
  },
]
