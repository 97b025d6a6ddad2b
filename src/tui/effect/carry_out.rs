//! Carries wishes out: the terminal, the engine, files, the clipboard, the jobs beside the screen.
//!
//! Owns what each wish takes. Must not know why it is wished. Invariant: nothing here waits for
//! the user or the engine; what was to be said and could not be comes back.

use std::io;

use super::Effect;
use crate::{
    protocol::op::Op,
    tui::{Running, message::Msg, record, screen},
};

impl Running {
    pub(in crate::tui) fn carry_out(&mut self, effects: Vec<Effect>) -> io::Result<()> {
        for effect in effects {
            match effect {
                Effect::Send(op) => self.send(op)?,
                Effect::Interrupt(by) => self.front.interrupt(by),
                Effect::Mouse(on) => self.screen.set_mouse(on)?,
                Effect::Copy(text) => {
                    let (copied, sequence) = self.clipboard.copy(&text);
                    screen::tell(sequence.as_ref())?;
                    self.take(Msg::Copied(copied))?;
                }
                Effect::Export(export) => {
                    let written = record::write(&self.root, &export);
                    self.take(Msg::Exported(written))?;
                }
                Effect::ListFiles => self.jobs.list_files(),
                Effect::ReadOutput { call_id, file } => self.jobs.read_output(call_id, file),
                Effect::Edit(editing) => self.loan.wish(editing),
                Effect::Redraw => {
                    let (width, height) = self.screen.size();
                    self.screen.resize(width, height)?;
                }
                // While an editor has the terminal, this program stops if the editor does.
                Effect::Suspend => self.asleep = !self.loan.is_lent(),
                Effect::Quit => self.exit_code = Some(self.input.exit_code()),
            }
        }
        Ok(())
    }

    fn send(&mut self, op: Op) -> io::Result<()> {
        match self.front.send(op) {
            Ok(()) => Ok(()),
            Err(Op::Submit { text } | Op::Steer { text }) => self.take(Msg::NotSent(text)),
            Err(Op::RunCommand { command }) => self.take(Msg::NotSent(format!("!{command}"))),
            Err(_) => self.take(Msg::NotHeard),
        }
    }
}
