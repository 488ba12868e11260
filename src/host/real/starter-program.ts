// The program of the starter, in Perl, as perl-base is on every Debian and Ubuntu: a process of a few MiB forks in a
// fraction of a millisecond, while each fork of croft itself copies its page tables and then page by page its heap.
// It promises that no program runs which croft was not told of: the child waits for its word until that is written.

/**
 * Frames in both directions: length of the rest (u32), type (one letter), job (u32), body; lists within a body are
 * strings with their length (u32) before them. Orders: `r` run and `d` start detached (see `orderOf` in starter.ts),
 * `k` kill the job's process group, `c` close its outputs. Reports: `p` it has a process (pid u32, start ticks), `s` it
 * executes, `f` it could not (errno u32, which step), `o` and `e` output, `x` it ended (code u32, signal u32), `z` no
 * more of it comes. The starter ends with its standard input.
 */
export const STARTER_PROGRAM = String.raw`
use strict; use warnings; no warnings 'exec';
use POSIX ();
$0 = 'croft: starts programs';
$SIG{PIPE} = 'IGNORE';
my $owner = getppid();
my $pidfd_open = 434; # The same number on every architecture.
my (%jobs, %watched, $blind); # %watched: file descriptor -> what to do when it is ready.
my ($input, $read, $write) = ('', '', '');

sub watch { my ($fd, $call) = @_; $watched{$fd} = $call; vec($read, $fd, 1) = 1 }
sub leave { my ($fd) = @_; delete $watched{$fd}; vec($read, $fd, 1) = 0; vec($write, $fd, 1) = 0 }

sub report {
  my ($type, $id, $body) = @_;
  my $frame = pack 'N a N a*', 5 + length $body, $type, $id, $body;
  while (length $frame) {
    my $count = syswrite STDOUT, $frame;
    next if !defined $count && $!{EINTR};
    exit 0 if !defined $count; # Nobody listens any more.
    substr $frame, 0, $count, '';
  }
}

sub ticks {
  open my $file, '<', "/proc/$_[0]/stat" or return '';
  sysread $file, my $text, 4096;
  return (split ' ', substr $text, 2 + rindex $text, ')')[19];
}

sub become {
  my ($go, $status, $order, $out, $err, $in) = @_;
  my $check = sub {
    return if $_[1];
    syswrite $status, pack 'N a*', $! + 0, $_[0];
    POSIX::_exit(127);
  };
  $SIG{PIPE} = 'DEFAULT';
  POSIX::setsid();
  POSIX::_exit(127) unless sysread $go, my $word, 1;
  my $onto = sub {
    my ($path, $flags, $at) = @_;
    my $fd = POSIX::open($path, $flags, 0600);
    $check->($path, defined $fd);
    POSIX::dup2($fd, $at);
    POSIX::close($fd);
  };
  my $append = POSIX::O_WRONLY() | POSIX::O_APPEND() | POSIX::O_CREAT();
  $in ? POSIX::dup2(fileno $in, 0) : $onto->('/dev/null', POSIX::O_RDONLY(), 0);
  $out ? POSIX::dup2(fileno $out, 1) : $onto->($order->{stdout}, $append, 1);
  $err ? POSIX::dup2(fileno $err, 2) : $onto->($order->{stderr}, $append, 2);
  $check->($order->{cwd}, chdir $order->{cwd}) if length $order->{cwd};
  my ($uid, $gid) = @$order{'uid', 'gid'};
  if (length "$uid$gid") {
    my $only = length $gid ? $gid : (split ' ', $))[0];
    $) = "$only $only";
    $check->('group', POSIX::setgid($only)) if length $gid;
    $check->('user', POSIX::setuid($uid)) if length $uid;
  }
  %ENV = %{$order->{env}};
  my @argv = @{$order->{argv}};
  exec { $argv[0] } @argv;
  $check->('', 0);
}

sub start {
  my ($id, $detached, $body) = @_;
  my %order;
  (@order{'cwd', 'uid', 'gid', 'stdout', 'stderr', 'feeds', 'stdin', 'variables'}, my @words) = unpack '(N/a*)*', $body;
  $order{env} = { splice @words, 0, 2 * $order{variables} };
  $order{argv} = \@words;
  my ($out, $out_end, $err, $err_end, $in, $in_end);
  my $made = pipe(my $go, my $go_end) && pipe(my $status, my $status_end);
  $made &&= pipe($out, $out_end) && pipe($err, $err_end) unless $detached;
  $made &&= pipe($in_end, $in) if $order{feeds};
  my $pid = $made ? fork : undef;
  return report('f', $id, pack 'N a*', $! + 0, 'fork') unless defined $pid;
  if ($pid == 0) {
    close $go_end;
    become($go, $status_end, \%order, $out_end, $err_end, $in_end);
  }
  close $_ for grep { $_ } $go, $status_end, $out_end, $err_end, $in_end;
  my $job = $jobs{$id} = { id => $id, pid => $pid, open => 0 };
  report('p', $id, pack 'N a*', $pid, ticks($pid));
  syswrite $go_end, '!' if getppid() == $owner;
  close $go_end;
  $job->{begun} = sub { begun($job, $status) };
  watch(fileno $status, $job->{begun});
  pass_on($job, $out, 'o') if $out;
  pass_on($job, $err, 'e') if $err;
  feed($job, $in, $order{stdin}) if $in;
  my $pidfd = syscall $pidfd_open, $pid, 0;
  $job->{pidfd} = $pidfd;
  $pidfd < 0 ? $blind++ : watch($pidfd, sub { reap($job) });
}

sub begun {
  my ($job, $status) = @_;
  delete $job->{begun};
  my $count = sysread $status, my $said, 4096;
  leave(fileno $status);
  close $status;
  return report('s', $job->{id}, '') unless $count;
  $job->{failed} = 1;
  report('f', $job->{id}, $said);
  finish($job);
}

sub pass_on {
  my ($job, $from, $type) = @_;
  my $fd = fileno $from;
  $job->{open}++;
  my $end = $job->{close}{$type} = sub {
    delete $job->{close}{$type};
    leave($fd);
    close $from;
    $job->{open}--;
    finish($job);
  };
  watch($fd, sub {
    my $count = sysread $from, my $bytes, 65536;
    return if !defined $count && $!{EINTR};
    return $end->() unless $count;
    report($type, $job->{id}, $bytes) unless $job->{failed};
  });
}

sub feed {
  my ($job, $into, $bytes) = @_;
  my $fd = fileno $into;
  fcntl $into, POSIX::F_SETFL(), POSIX::O_NONBLOCK();
  my $end = sub { delete $job->{hungry}; leave($fd); close $into };
  my $more = sub {
    my $count = length $bytes ? syswrite $into, $bytes, 65536 : 0;
    return if !defined $count && ($!{EAGAIN} || $!{EINTR});
    substr $bytes, 0, $count, '' if $count;
    $end->() unless $count && length $bytes; # It need not read all; its code tells.
  };
  $watched{$fd} = $more;
  vec($write, $fd, 1) = 1;
  $job->{hungry} = $end;
}

sub reap {
  my ($job) = @_;
  return unless waitpid($job->{pid}, POSIX::WNOHANG()) == $job->{pid};
  my $status = $?;
  if ($job->{pidfd} < 0) { $blind-- } else { leave($job->{pidfd}); POSIX::close($job->{pidfd}) }
  $job->{ended} = 1;
  $job->{begun}->() if $job->{begun}; # Told first whether it ever executed.
  $job->{hungry}->() if $job->{hungry};
  report('x', $job->{id}, pack 'N N', $status >> 8, $status & 127) unless $job->{failed};
  finish($job);
}

sub finish {
  my ($job) = @_;
  return if !$job->{ended} || $job->{open} > 0 || !delete $jobs{$job->{id}};
  report('z', $job->{id}, '');
}

sub stop {
  my ($job) = @_;
  # Once it is reaped only its group may be meant, which lives as long as somebody in it does.
  kill('KILL', -$job->{pid}) || $job->{ended} || kill('KILL', $job->{pid});
}

sub obey {
  my ($type, $id, $body) = @_;
  return start($id, $type eq 'd', $body) if $type eq 'r' || $type eq 'd';
  my $job = $jobs{$id} or return;
  stop($job) if $type eq 'k';
  $_->() for $type eq 'c' ? values %{$job->{close}} : ();
}

watch(0, sub {
  my $count = sysread STDIN, $input, 65536, length $input;
  return if !defined $count && $!{EINTR};
  exit 0 unless $count;
  while (length $input >= 4) {
    my $length = unpack 'N', $input;
    last if length $input < 4 + $length;
    my (undef, $type, $id, $body) = unpack 'N a N a*', substr $input, 0, 4 + $length, '';
    obey($type, $id, $body);
  }
});
while (1) {
  my $count = select my $can_read = $read, my $can_write = $write, undef, $blind ? 0.1 : undef;
  if ($blind) { reap($_) for grep { $_->{pidfd} < 0 } values %jobs }
  next unless $count > 0;
  my @ready = map { [$_, $watched{$_}] } grep { vec($can_read, $_, 1) || vec($can_write, $_, 1) } keys %watched;
  for (@ready) {
    my ($fd, $call) = @$_;
    # A call before may have closed it, and opened another one that is not ready.
    $call->() if $call == ($watched{$fd} // 0);
  }
}
`
