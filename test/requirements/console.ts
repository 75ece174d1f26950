/** What the web console promises: how it is served, its frame, the overview, the live traffic. */
export default [
  {
    id: 'CON-1',
    rule: '/ui leads to /ui/ by a relative location; /ui/ and /ui/index.html are the same page, anything else below is 404, other methods are 405.',
    where: 'console 1, 7',
  },
  {
    id: 'CON-2',
    rule: 'The page has its policy, a strong ETag and no-cache; assets are immutable, nosniff and strongly tagged.',
    where: 'console 1',
  },
  {
    id: 'CON-3',
    rule: 'Page and assets come in br, gzip or as they are, by q-values, each with its own ETag; HEAD and If-None-Match work on all.',
    where: 'console 1',
  },
  {
    id: 'CON-4',
    rule: 'The page tells the client auth mode, title, back link, public mode and version in metas, escaped.',
    where: 'console 1, 7',
  },
  {
    id: 'CON-5',
    rule: 'All URLs are relative, and no asset names another host that it would ask.',
    where: 'console 1',
  },
  {
    id: 'CON-6',
    rule: 'The first load is at most 90 KB, no chunk above 150 KB, all together at most 450 KB, brotli.',
    where: 'console 2',
  },
  { id: 'CON-7', rule: 'The same sources give the same names.', where: 'console 2' },
  {
    id: 'CON-8',
    rule: 'A build error makes the plugin failed, or keeps the one that runs, with file, line and message; the rest of the server goes on.',
    where: 'console 2, 7',
  },
  {
    id: 'CON-9',
    rule: 'Every view opens without console errors in both themes, at 1440 and 360 px, and axe finds nothing serious.',
    where: 'console 4, 8',
  },
  {
    id: 'CON-10',
    rule: 'Navigation shows the views whose plugin is on; an unknown hash is the overview; Alt and a digit go to a view.',
    where: 'console 3',
  },
  {
    id: 'CON-11',
    rule: 'The settings are kept, reset forgets them, tokens end with the tab, and the session goes with every request.',
    where: 'console 3',
  },
  {
    id: 'CON-12',
    rule: 'Ctrl+K goes to views, endpoints and mocks; ? lists the keys; letters do nothing while typing or when switched off; the focus comes back from dialogs.',
    where: 'console 3',
  },
  {
    id: 'CON-13',
    rule: 'Presenter mode takes the navigation away and enlarges the type; the theme button sets data-theme.',
    where: 'console 3',
  },
  {
    id: 'CON-14',
    rule: 'With control auth the page signs in by form or by a fragment that is removed first; the token goes to the own /_svc/ only, as a header.',
    where: 'console 3',
  },
  {
    id: 'CON-15',
    rule: 'A refused or expired token leads to the sign-in screen with the reason, and the view stays; a missing scope is named.',
    where: 'console 3',
  },
  { id: 'CON-16', rule: 'Below a prefix the console asks the instance below that prefix.', where: 'console 1' },
  {
    id: 'CON-17',
    rule: 'An instance that is away, a gateway that can not be reached and limits of the own plan are told, each for what it is.',
    where: 'console 3',
  },
  { id: 'CON-18', rule: 'An edit of the client is offered as a reload of the page.', where: 'console 2' },
  {
    id: 'CON-19',
    rule: 'The overview shows instance, health with a switch, plan, base URLs, configuration with its warnings and load errors.',
    where: 'console 4',
  },
  {
    id: 'CON-20',
    rule: 'Plugins are switched at once; those in the way are named and switched along on demand.',
    where: 'console 4, 5',
  },
  {
    id: 'CON-21',
    rule: 'Captured requests appear newest first with time, method, path, status, latency, client, session and tags.',
    where: 'console 4',
  },
  {
    id: 'CON-22',
    rule: 'The filter language: words are AND, names look at one part, a leading minus negates, quotes keep blanks; filters are kept.',
    where: 'console 4',
  },
  {
    id: 'CON-23',
    rule: 'Of a request that the console sent, what the gateway added, removed, changed and rewrote is shown, and nothing that the browser added.',
    where: 'console 4',
  },
  { id: 'CON-24', rule: 'Of other requests the headers of gateways are told by their names.', where: 'console 4' },
  {
    id: 'CON-25',
    rule: 'A request is copied as curl, .http and fetch, quoted so that it arrives as it was.',
    where: 'console 4',
  },
  {
    id: 'CON-26',
    rule: 'Replay sends a request again, changed, directly or through a gateway, and leads to what arrived.',
    where: 'console 4',
  },
  { id: 'CON-27', rule: 'Two requests are shown side by side with their differences.', where: 'console 4' },
  { id: 'CON-28', rule: 'The rows shown are saved as a valid HAR.', where: 'console 4' },
  {
    id: 'CON-29',
    rule: 'The list can be held, is held while text is selected, and is cleared for all or for one session.',
    where: 'console 4',
  },
  {
    id: 'CON-30',
    rule: 'A thousand requests a second leave the page usable; at most 1000 rows are kept and few of them are in the document.',
    where: 'console 4',
  },
  {
    id: 'CON-31',
    rule: 'Captured markup, control characters, long lines and bytes are text, and the page stays usable.',
    where: 'console 3, 7',
  },
  {
    id: 'CON-32',
    rule: 'A request that the instance has forgotten stays on screen and is marked; a link to it reproduces the screen.',
    where: 'console 3, 7',
  },
  {
    id: 'CON-33',
    rule: 'The feed resumes after a break without losing or repeating requests; new traffic is announced at most every 5 s.',
    where: 'console 3, 4',
  },
  { id: 'CON-34', rule: 'In public mode the console has a session of its own and sees only that.', where: 'console 3' },
  {
    id: 'CON-35',
    rule: 'What the service did to an answer is shown in list, detail and HAR: the fault and its source, how the answer ended.',
    where: 'limits 4',
  },
  {
    id: 'CON-36',
    rule: 'Attempts at one request are joined by request id or trace; health probes can be hidden.',
    where: 'console 4',
  },
  { id: 'CON-37', rule: 'The target chip names the gateway that the page itself came through.', where: 'console 3' },
]
