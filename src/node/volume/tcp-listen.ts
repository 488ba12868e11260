// Replicas on another host are reached by TCP. QEMU 7.2 never sets TCP_NODELAY on what its NBD server accepts,
// and then every second small answer waits 40 ms for the client's kernel. Accepted sockets inherit the option from
// the listening one, so the daemon is given a socket that has it; perl, which every Debian has, makes it.

/**
 * Binds, notes the port it got in a file, and becomes the program with the socket as descriptor 3. `$^F` keeps perl
 * from closing it on exec.
 */
const LISTEN = [
  'use Socket qw(:all);',
  '$^F=9;my($a,$p,$f)=splice(@ARGV,0,3);',
  'my$v6=$a=~/:/;',
  'socket(my$s,$v6?AF_INET6:AF_INET,SOCK_STREAM,0)or die"socket: $!\\n";',
  'setsockopt($s,SOL_SOCKET,SO_REUSEADDR,1);',
  'setsockopt($s,IPPROTO_TCP,TCP_NODELAY,1)or die"TCP_NODELAY: $!\\n";',
  'setsockopt($s,SOL_SOCKET,SO_KEEPALIVE,1);',
  'my$n=$v6?pack_sockaddr_in6($p,inet_pton(AF_INET6,$a)):pack_sockaddr_in($p,inet_aton($a));',
  'bind($s,$n)or die"bind $a:$p: $!\\n";',
  'listen($s,16)or die"listen: $!\\n";',
  'my($port)=$v6?unpack_sockaddr_in6(getsockname$s):unpack_sockaddr_in(getsockname$s);',
  'open(my$o,">",$f)or die"$f: $!\\n";print$o $port;close$o;',
  'if(fileno($s)!=3){require POSIX;POSIX::dup2(fileno$s,3)or die"dup2: $!\\n"}',
  'exec@ARGV;die"exec: $!\\n"',
].join('')

export interface TcpListen {
  /** Address of this host that the other hosts reach. */
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Takes the port that it became. */
  readonly portFile: string
}

/** The server option that goes with `listeningArgv`. */
export const INHERITED_NBD_SERVER = 'addr.type=fd,addr.str=3,max-connections=0'

/** The program as it is started with an open listening socket. */
export function listeningArgv(argv: readonly string[], listen: TcpListen): readonly string[] {
  return ['perl', '-e', LISTEN, listen.host, String(listen.port), listen.portFile, ...argv]
}
